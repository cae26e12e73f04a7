"""Programs that read or list folders recursively."""

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial

from ..parsing.flags import Flags, ParsedArguments
from .path_scope import PathScope
from .tree_access import RipgrepIgnore, TraversalOptions

Words = Sequence[str]

GREP = Flags.from_usage(
    "-NUM -E -F -G -P -i -y -v -w -x -c -o -q -s -n -H -h -l -L -b -a -z -Z -T -U -I -r -e= -f=F"
    " -m=N -A=N -B=N -C=N --extended-regexp --fixed-strings --basic-regexp --perl-regexp"
    " --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count"
    " --only-matching --quiet --silent --no-messages --line-number --with-filename --no-filename"
    " --files-with-matches --files-without-match --byte-offset --text --null --null-data"
    " --initial-tab --recursive --regexp= --file=F --max-count=N --after-context=N"
    " --before-context=N --context=N --color=? --colour=? --include= --exclude= --exclude-dir="
    " --label= --binary-files= --line-buffered"
)
RG = Flags.from_usage(
    "-e= -i -S -s -w -x -v -n -N -c -l -o -q -F -P -U -H -I -0 -p -M=N -m=N -d=N -A=N -B=N -C=N"
    " -t= -T= -g= -r= --regexp= --ignore-case --smart-case --case-sensitive --word-regexp"
    " --line-regexp --invert-match --line-number --no-line-number --count --count-matches"
    " --files-with-matches --files-without-match --only-matching --quiet --fixed-strings --pcre2"
    " --multiline --multiline-dotall --with-filename --no-filename --null --pretty --max-columns=N"
    " --max-columns-preview --max-count=N --max-depth=N --after-context=N --before-context=N"
    " --context=N --type= --type-not= --type-list --glob= --iglob= --replace= --files --heading"
    " --no-heading --column --no-column --color= --json --stats --vimgrep --sort= --sortr= --trim"
    " --passthru --crlf --no-config --no-messages --threads=N -j=N"
)
FD = Flags.from_usage(
    "-H -I -s -i -g -F -a -p -0 -1 -q -u -t= -e= -d=N -E= -S= -c= -j=N --hidden --no-ignore"
    " --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --full-path"
    " --print0 --type= --extension= --max-depth=N --min-depth=N --exact-depth=N --exclude="
    " --size= --changed-within= --changed-before= --max-results=N --quiet --color= --threads=N"
    " --prune --one-file-system --no-ignore-vcs --unrestricted --strip-cwd-prefix --and="
)
DIFF = Flags.from_usage(
    "-NUM -q -s -c -C=N -u -U=N -e -n -y -W=N -p -F= -t -T -r -N -x= -i -E -Z -b -w -B -I= -a -d"
    " --normal --brief --report-identical-files --context=? --unified=? --ed --rcs --side-by-side"
    " --width=N --left-column --suppress-common-lines --show-c-function --label= --expand-tabs"
    " --recursive --no-dereference --new-file --exclude= --ignore-case --ignore-tab-expansion"
    " --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines"
    " --ignore-matching-lines= --text --strip-trailing-cr --minimal --speed-large-files --color=?"
)
# The globs of ripgrep's `-t` for the most common types
RG_TYPES = {
    "py": ("*.py", "*.pyi"),
    "js": ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue"),
    "ts": ("*.ts", "*.tsx", "*.cts", "*.mts"),
    "go": ("*.go",),
    "rust": ("*.rs",),
    "java": ("*.java", "*.jsp", "*.jspx", "*.properties"),
    "md": ("*.md", "*.markdown", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"),
    "txt": ("*.txt",),
    "toml": ("*.toml", "Cargo.lock"),
    "yaml": ("*.yaml", "*.yml"),
    "html": ("*.html", "*.htm", "*.ejs"),
    "css": ("*.css", "*.scss"),
    "json": ("*.json", "composer.lock", "*.sarif", "*.jsonl"),
    "sql": ("*.sql", "*.psql"),
}

_PLAIN_GLOB = re.compile(r"[\w.*?+ -]+")


def matches_any(globs: Sequence[str], name: str) -> bool:
    """Return whether a file's name may match; a pattern beyond plain names may match any name."""
    folded = name.casefold()
    return any(
        not _PLAIN_GLOB.fullmatch(glob) or fnmatchcase(folded, glob.casefold()) for glob in globs
    )


def _match_any(name: str) -> bool:
    return True


def _match_none(name: str) -> bool:
    return False


def _strip_pattern(parsed: ParsedArguments, *pattern_flags: str) -> tuple[str, ...]:
    return parsed.operands if parsed.has_any(*pattern_flags) else parsed.operands[1:]


def _check_grep(name: str, words: Words, place: PathScope) -> None:
    parsed = place.parse_words(name, GREP, words)
    files = _strip_pattern(parsed, "-e", "--regexp", "-f", "--file")
    if not parsed.has_any("-r", "--recursive"):
        for file in files:
            place.check_path(file)
        return
    included = parsed.get_values("--include")
    # With `--exclude` the first of both options applies to all other names
    limited = included and not parsed.has_any("--exclude")
    for folder in files or ["."]:
        place.check_tree(
            folder, TraversalOptions(partial(matches_any, included) if limited else _match_any)
        )


def _check_rg(words: Words, place: PathScope) -> None:
    parsed = place.parse_words("rg", RG, words)
    if parsed.has_any("--files", "--type-list"):
        for file in parsed.operands:
            place.check_path(file)
        return
    taken_in = _build_rg_filter(parsed)
    left_out = RipgrepIgnore(place.workspace.root, taken_in or _match_none)
    manner = TraversalOptions(taken_in or _match_any, left_out)
    for file in _strip_pattern(parsed, "-e", "--regexp") or ["."]:
        place.check_tree(file, manner)


def _build_rg_filter(parsed: ParsedArguments) -> Callable[[str], bool] | None:
    """Return a filter for `-g` or else `-t`: only such names are read, also hidden or ignored."""
    globs = [
        glob for glob in parsed.get_values("-g", "--glob", "--iglob") if not glob.startswith("!")
    ]
    if globs:
        return partial(matches_any, globs)
    types = parsed.get_values("-t", "--type")
    if not types:
        return None
    return partial(
        matches_any, [glob for file_type in types for glob in RG_TYPES.get(file_type, ("**",))]
    )


def _check_fd(name: str, words: Words, place: PathScope) -> None:
    for folder in place.parse_words(name, FD, words).operands[1:]:
        place.check_path(folder)


def _check_diff(words: Words, place: PathScope) -> None:
    for file in place.parse_words("diff", DIFF, words).operands:
        place.check_tree(file, TraversalOptions(_match_any, follows_links=True))


SEARCHES: Mapping[str, Callable[[Words, PathScope], None]] = {
    **{name: partial(_check_grep, name) for name in ("grep", "egrep", "fgrep")},
    "rg": _check_rg,
    **{name: partial(_check_fd, name) for name in ("fd", "fdfind")},
    "diff": _check_diff,
}
