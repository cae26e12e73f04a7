"""Files that a step names: by a word, a part of a word, a redirection, or a string in its code."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..parsing.git_command import split_git_command
from ..parsing.inline_code import is_interpreter
from ..parsing.path_targets import resolve_target
from ..parsing.shell_state import Word
from ..parsing.simple_command import SimpleCommand

# Programs whose arguments are not files
_WITHOUT_FILES = frozenset(
    ["echo", "printf", "export", "unset", ":", "true", "false", "alias", "which"]
)
_PATTERN_FIRST_LIST = """
grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq pgrep pkill
"""
# Programs whose first argument is not a file but a pattern or a script
_PATTERN_FIRST = frozenset(_PATTERN_FIRST_LIST.split())
_PATTERN_OPTION = re.compile(r"-[a-zA-Z]*e|--regexp|--expression")
_GIVES_PATTERN = re.compile(
    r"-[a-zA-Z]*[ef]|-[ef].+|--(regexp|expression|file|from-file)(=.*)?", re.DOTALL
)
# Programs without an option that gives the pattern by the letter `e`
_PATTERN_BY_FILE = frozenset(["jq", "yq", "pgrep", "pkill"])
_GIVES_FILE = re.compile(r"-[a-zA-Z]*f|--(from-)?file(=.*)?", re.DOTALL)
# The options of a program whose value is a text or an exclusion
_GREP_TEXTS = re.compile(r"--exclude(-dir)?")
_FD_TEXTS = re.compile(r"-[HIsigFap01qul]*E|--exclude")
_TEXT_OPTIONS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("gh", "glab"), re.compile(r"-[bmtS]|--(message|title|body)")),
    **dict.fromkeys(("hg", "svn"), re.compile(r"-[a-zA-Z]*m|--message")),
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), _GREP_TEXTS),
    **dict.fromkeys(("tar", "bsdtar", "rsync", "du", "cloc"), _GREP_TEXTS),
    **dict.fromkeys(("fd", "fdfind"), _FD_TEXTS),
    "rg": re.compile(r"--i?glob"),
    "ag": re.compile(r"--ignore(-dir)?"),
    "ack": re.compile(r"--ignore-dir(ectory)?"),
    "find": re.compile(r"-i?name"),
    "ls": re.compile(r"--ignore"),
    "tree": re.compile(r"-I"),
    "zip": re.compile(r"(?!)"),
    "diff": re.compile(r"-[abBdEiNpqrstTuwyZ]*x|--exclude"),
}
# Other options whose value is the next word, whatever that looks like
_VALUED: Mapping[str, re.Pattern[str]] = {
    "diff": re.compile(r"-[a-zA-Z]*[FIUCWSXDL]|--(show-function-line|ignore-matching-lines|label)"),
    "rsync": re.compile(r"-[a-zA-Z]*[efMTB]|--(rsh|filter|temp-dir|block-size|exclude-from)"),
    **dict.fromkeys(("tar", "bsdtar"), re.compile(r"-?[a-zA-Z]*[fCTXbgKNV]|--(file|directory)")),
}
_NO_OPTION = re.compile(r"(?!)")
_GIT_TEXTS = re.compile(r"-[a-zA-Z]*m|--(message|author|grep|exclude)|-S|-G")
_GIT_SEARCHES = re.compile(r"-[SG]|--(author|grep|exclude)")
# Commands of git that show files: their `-m` and `-b` have no value
_GIT_SHOWS = frozenset(
    ["log", "diff", "show", "whatchanged", "diff-tree", "diff-files", "diff-index", "format-patch"]
)
_GIT_READS = frozenset(["grep", "archive", "blame", "annotate", "cat-file", "difftool"])
_TEXT_OPTION_JOINED = re.compile(r"--(exclude|exclude-dir|ignore|message|grep|title|body|author)=")
_EXCLUSION_JOINED = re.compile(r"-xr?!.+|--ignore-dir(ectory)?=.+")
_ZIP_LISTS = frozenset(["-x", "-i", "--exclude", "--include"])
_SIGNS = re.compile(r"[=:@,]")
_SEPARATORS = re.compile(r"[\s;&|<>()$`\"'\\=,:@{}\[\]]+")
# A pattern that matches every name: `*`, `src/*`, `*/*`
_TAKES_ALL = re.compile(r"((?:[^*?\[\]/]*/)*)(?:\*+/)*(?:\*+|\*\.\*)/?")
_MAX_PARTS = 10
_FIND_ACTS = re.compile(r"-(exec|execdir|ok|okdir|delete|fprint\w*|fls)")


@dataclass(frozen=True)
class FileReference:
    """A name, and how certain it is that it names a file."""

    text: str
    exact: bool = True
    """False: a part of a longer text, which counts only if such a file exists."""
    code: bool = False
    """Whether it is in code."""
    bound: bool = False
    """Whether a redirection reads or writes it."""
    by_chance: bool = False
    """Whether it matched only a pattern that matches everything, such as `*`."""


def find_references(step: SimpleCommand) -> Iterator[FileReference]:
    """Yield every name in a step, the most certain first."""
    for redirect in step.redirects:
        if redirect.operator != "<<<":
            yield FileReference(redirect.target.text, bound=True)
    program = step.program
    words = [] if program in _WITHOUT_FILES else _select_file_words(step)
    for word in words:
        yield from _split_word(word)
    interprets = is_interpreter(program)
    for word in words:
        if re.search(r"[\s'\"(]", word.text):
            yield from _split_text(word.text, code=interprets)
    if interprets and step.feed.text:
        yield from _split_text(step.feed.text, code=True)


def _split_word(word: Word) -> Iterator[FileReference]:
    """Yield a whole word, and the part after `=`, `:` or `@`, as in `--file=NAME`."""
    texts = {word.text} if word.known else {word.text, word.rest}
    if takes_all := _TAKES_ALL.fullmatch(word.pattern):
        yield FileReference(takes_all[1] or "./")
        yield FileReference(word.text, by_chance=True)
        return
    for text in sorted(texts - {""}):
        yield FileReference(text)
        if 1 < len(parts := _SIGNS.split(text)) <= _MAX_PARTS:
            yield from (FileReference(part) for part in parts if part)
            yield from (FileReference(text[match.end() :]) for match in _SIGNS.finditer(text))
        if short := re.match(r"-\w([^-=].*)", text):
            yield FileReference(short[1], exact=False)


def _split_text(text: str, *, code: bool) -> Iterator[FileReference]:
    for piece in dict.fromkeys(_SEPARATORS.split(text)):
        if piece:
            yield FileReference(piece, exact=False, code=code)


def _select_file_words(step: SimpleCommand) -> list[Word]:
    """Select the words of a step that may be files."""
    words, program = list(step.words[1:]), step.program
    if program in _PATTERN_FIRST:
        words = _without_pattern(words, takes_e=program not in _PATTERN_BY_FILE)
    if program == "find" and _has_action(words):
        return _without_exclusions(words)
    if program == "zip":
        words = _without_zip_lists(words)
    if program in ("7z", "7za", "ag", "ack"):
        words = [word for word in words if not _EXCLUSION_JOINED.fullmatch(word.text)]
    text_option = _find_text_option(program, words)
    valued = _VALUED.get(program, _NO_OPTION)
    return words if text_option is None else _without_texts(words, text_option, valued)


def _find_text_option(program: str, words: Sequence[Word]) -> re.Pattern[str] | None:
    """Return which options of the step have a value that is no file; None: not known."""
    if program != "git":
        return _TEXT_OPTIONS.get(program)
    command, _ = split_git_command([word.text for word in words])
    if command in _GIT_READS:
        return None
    return _GIT_SEARCHES if command in _GIT_SHOWS else _GIT_TEXTS


def _has_action(words: Sequence[Word]) -> bool:
    return any(_FIND_ACTS.fullmatch(word.text) for word in words)


def _without_pattern(words: list[Word], *, takes_e: bool) -> list[Word]:
    """Remove the search pattern: each value of `-e`, else the first word that is not an option."""
    patterns = set[int]()
    if takes_e:
        patterns = {at + 1 for at, word in enumerate(words) if _PATTERN_OPTION.fullmatch(word.text)}
    pattern_option = _GIVES_PATTERN if takes_e else _GIVES_FILE
    if not any(pattern_option.fullmatch(word.text) for word in words):
        plain = (at for at, word in enumerate(words) if not word.text.startswith("-"))
        patterns = {next(plain, -1)}
    return [word for at, word in enumerate(words) if at not in patterns]


def _without_exclusions(words: Sequence[Word]) -> list[Word]:
    """Remove the names that `find` excludes: `-not -path X`, `-path X -prune`."""
    texts = ["", "", *(word.text for word in words), ""]
    return [
        word
        for at, word in enumerate(words)
        if texts[at] not in ("-not", "!") and texts[at + 3] != "-prune"
    ]


def _without_zip_lists(words: Sequence[Word]) -> list[Word]:
    """Remove the patterns of `zip -x a b`, which last until another option or `@`."""
    remaining, is_list = list[Word](), False
    for word in words:
        if word.text.startswith("-") or word.text == "@":
            is_list = word.text in _ZIP_LISTS
        if not is_list:
            remaining.append(word)
    return remaining


def _without_texts(
    words: Sequence[Word], text_option: re.Pattern[str], valued: re.Pattern[str]
) -> list[Word]:
    remaining, skip, is_value = list[Word](), False, False
    for word in words:
        before, is_value = is_value, not is_value and bool(valued.fullmatch(word.text))
        if skip:
            skip = False
        elif not before and text_option.fullmatch(word.text):
            skip = True
        elif not _TEXT_OPTION_JOINED.match(word.text):
            remaining.append(word)
    return remaining


def find_folders(step: SimpleCommand) -> list[Path | None]:
    """Return the folders of a step's relative names: its own folder, and the folder of `-C`."""
    folders, words = [step.folder], [word.text for word in step.words]
    for option, value in pairwise([*words, ""]):
        named = re.match(r"(?:-C|--directory=|--chdir=|--cwd=|--prefix=)(.+)", option)
        if named or option in ("-C", "--directory", "--chdir", "--cwd", "--prefix", "-D"):
            where = resolve_target(named[1] if named else value, step.folder)
            folders.append(where)
    return folders
