"""Programs that read whole folders: their options, and what these leave out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from ..shell.parsing.flags import Flags, ParsedArguments, split_names
from ..shell.readonly.recursive_programs import DIFF, FD, GREP, RG, RG_TYPES
from .tree_filters import LeftOut, Manner, PatternFilter, compile_inclusion
from .tree_walk import Skips


def _extend(flags: Flags, usage: str) -> Flags:
    return Flags({**flags.kinds, **Flags.from_usage(usage).kinds})


@dataclass(frozen=True)
class TreeProgram:
    """How a program is told what to read; options that are not in `flags` are not understood."""

    flags: Flags
    recursive: frozenset[str] = frozenset()
    """The options without which it reads no folder; empty: it always does."""
    pattern: frozenset[str] | None = None
    """The options without which the first operand is what it searches for."""
    reads_here: bool = False
    """Whether it reads the folder it is in if none is named."""
    takes_input: bool = False
    """Whether it reads its input instead, if that is a pipe."""
    view: Literal["given", "folder", "stored", "inside"] = "given"
    """How its patterns see a path: as written, from the folder it is in, the same unless it is
    absolute, from the folder named."""
    last: frozenset[str] | None = None
    """The options without which the last operand is where it copies to."""
    left_out: Mapping[str, LeftOut] = field(default_factory=dict[str, LeftOut])
    taken_in: Mapping[str, Manner] = field(default_factory=dict[str, Manner])
    restricts: bool = True
    """Whether it reads only what is taken in."""
    filters_operands: bool = False
    """Whether its patterns hold for the folders named, too."""
    is_positional: bool = False
    """Whether its patterns hold for the operands after them only."""
    unfiltered: frozenset[str] = frozenset()
    """Options with which nothing is left out."""
    lists: frozenset[str] = frozenset()
    """Options by which names come from elsewhere."""
    follows: frozenset[str] = frozenset()
    """The options with which it follows links."""
    always_follows: bool = False
    skips: Skips = "none"
    hidden: frozenset[str] = frozenset()
    """The options with which it reads hidden files."""
    ignored: frozenset[str] = frozenset()
    """The options with which it reads ignored files."""
    depths: Mapping[str, int] = field(default_factory=dict[str, int])
    """The options with which it reads only some levels, and how many more than they say."""

    def reads_folders(self, parsed: ParsedArguments) -> bool:
        """Return whether it reads folders with these options."""
        options = self.recursive.intersection(parsed.flag_values)
        values = parsed.get_values("-d", "--directories") if self is _GREP else []
        if options and options <= {"-d", "--directories"}:
            return any(value.startswith("r") for value in values)
        return not self.recursive or bool(options)

    def find_depth(self, parsed: ParsedArguments) -> int | None:
        """Return how many levels below a folder it reads; None: all."""
        ranks = [
            int(parsed.get_values(flag)[-1]) + more
            for flag, more in self.depths.items()
            if flag in parsed.flag_values and parsed.get_values(flag)[-1].isdecimal()
        ]
        return max(ranks, default=None)

    def build_filter(self, parsed: ParsedArguments) -> PatternFilter:
        """Return what the options leave out."""
        if parsed.has_any(*self.unfiltered):
            return PatternFilter()
        folders, files, inclusions, folders_in = (list[re.Pattern[str]]() for _ in range(4))
        entries = parsed.entries
        if self.is_positional:
            entries = tuple(takewhile(lambda entry: entry[0], entries))
        for flag, value in entries:
            is_negated = value.startswith("!")
            if flag in self.left_out and (is_negated or flag not in self.taken_in):
                value = value.removeprefix("./" if self.view == "stored" else "!")
                for glob in _list_sure_globs(flag, value):
                    for kind, pattern in self.left_out[flag].compile(glob):
                        folders += [pattern] if kind != "files" else []
                        files += [pattern] if kind != "folders" else []
            elif flag in self.taken_in:
                globs, manner = _list_globs(flag, value), self.taken_in[flag]
                of_kind = folders_in if value.endswith("/") and not self.restricts else inclusions
                of_kind += [compile_inclusion(glob, manner) for glob in globs]
        if name := find_searched_name(self is _FD, parsed):
            inclusions.append(name)
        groups = map(tuple, (folders, files, inclusions, folders_in))
        return PatternFilter(*groups, restricts=self.restricts)


def _list_globs(flag: str, value: str) -> Sequence[str]:
    if flag in ("-t", "--type"):
        return RG_TYPES.get(value, ("*",))
    return [f"*.{value.removeprefix('.')}"] if flag in ("-e", "--extension") else [value]


def _list_sure_globs(flag: str, value: str) -> Sequence[str]:
    """Return what surely is of a type of `rg`; the pattern itself for another option."""
    if flag not in ("-T", "--type-not"):
        return [value]
    return RG_TYPES[value][:1] if value in RG_TYPES else []


def find_searched_name(is_fd: bool, parsed: ParsedArguments) -> re.Pattern[str] | None:
    """Return the names of files that `fd` finds; None if they may be any."""
    only_files = {value[:1] for value in parsed.get_values("-t", "--type")} == {"f"}
    if not is_fd or not only_files or not parsed.operands or parsed.has_any(*_FD_OTHER_NAMES):
        return None
    written = parsed.operands[0]
    if parsed.has_any("-g", "--glob"):
        return compile_inclusion(written, "name") if "/" not in written else None
    if parsed.has_any("-F", "--fixed-strings") or not _FD_NAME.fullmatch(written):
        return None
    end = "" if written.endswith("$") else "[^/]*"
    start = written.startswith("^")
    regex = written.removeprefix("^").removesuffix("$")
    return re.compile(f"(?:.*/)?{'' if start else '[^/]*'}{regex}{end}", re.IGNORECASE | re.DOTALL)


# A name, or its beginning or end, in the regular expressions of `fd`
_FD_NAME = re.compile(r"\^?(?:[\w-]|\\?\.)+\$?")
_FD_OTHER_NAMES = split_names("-p --full-path --and")

_GREP = TreeProgram(
    _extend(
        GREP,
        "-R --dereference-recursive -d= --directories= -D= --devices= --exclude-from= -u"
        " --group-separator= --no-group-separator",
    ),
    recursive=split_names("-r -R --recursive --dereference-recursive -d --directories"),
    pattern=split_names("-e -f --regexp --file"),
    reads_here=True,
    left_out={"--exclude": LeftOut("name", "files"), "--exclude-dir": LeftOut("name", "folders")},
    taken_in={"--include": "name"},
    filters_operands=True,
    follows=split_names("-R --dereference-recursive"),
)
_RG = TreeProgram(
    _extend(
        RG,
        "-u -uu -uuu -. -L -a -b -f= -E= -z --hidden --follow --text --byte-offset --file="
        " --encoding= --search-zip --unrestricted --no-ignore --no-ignore-vcs --no-ignore-parent"
        " --no-ignore-dot --no-ignore-exclude --no-ignore-global --no-ignore-files --binary"
        " --ignore-file= --one-file-system --pre= --pre-glob= --type-add= --max-filesize="
        " --field-match-separator= --field-context-separator= --engine= --context-separator="
        " --path-separator= --line-buffered --block-buffered --debug --mmap --no-mmap"
        " --hyperlink-format= --colors= --null-data --auto-hybrid-regex --maxdepth=N"
        " --glob-case-insensitive --no-pcre2-unicode --no-unicode --include-zero --stop-on-nonmatch"
        " --hostname-bin= --generate= --dfa-size-limit= --regex-size-limit=",
    ),
    pattern=split_names("-e -f --regexp --file --files"),
    reads_here=True,
    takes_input=True,
    view="folder",
    left_out={
        "-g": LeftOut("gitignore"),
        "--glob": LeftOut("gitignore"),
        "--iglob": LeftOut("gitignore", folds=True),
        "-T": LeftOut("name", "files"),
        "--type-not": LeftOut("name", "files"),
    },
    depths={"-d": 0, "--max-depth": 0, "--maxdepth": 0},
    taken_in=dict.fromkeys(("-g", "--glob", "--iglob", "-t", "--type"), "gitignore"),
    unfiltered=split_names("--type-add"),
    follows=split_names("-L --follow"),
    skips="hidden",
    hidden=split_names("-. --hidden"),
    ignored=split_names(
        "-u -uu -uuu --unrestricted --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot"
        " --no-ignore-exclude --no-ignore-files"
    ),
)
_AG = TreeProgram(
    Flags.from_usage(
        "-a -A=? -B=? -C=? -c -D -f -F -g= -G= -H -i -l -L -m=N -n -o -p= -Q -r -R -s -S -t -u -U"
        " -v -w -W=N -z -0 --ackmate --all-types --after=? --before=? --break --nobreak --color"
        " --nocolor --column --context=? --count --depth=N --filename --nofilename"
        " --files-with-matches --files-without-matches --fixed-strings --follow --group --nogroup"
        " --heading --noheading --hidden --ignore= --ignore-case --ignore-dir= --literal"
        " --case-sensitive --smart-case --max-count=N --numbers --nonumbers --only-matching"
        " --path-to-ignore= --print-long-lines --passthrough --silent --skip-vcs-ignores"
        " --unrestricted --vimgrep --word-regexp"
    ),
    pattern=frozenset(),
    reads_here=True,
    takes_input=True,
    view="folder",
    left_out=dict.fromkeys(("--ignore", "--ignore-dir"), LeftOut("name")),
    follows=split_names("-f --follow"),
    skips="hidden",
    hidden=split_names("--hidden"),
    ignored=split_names("-a -t -u -U --all-types --skip-vcs-ignores --unrestricted"),
)
_ACK = TreeProgram(
    Flags.from_usage(
        "-A=N -B=N -C=? -c -f -g -h -H -i -I -l -L -m=N -n -o -Q -r -R -s -S -v -w -x -1 --match="
        " --py --python --js --ts --go --rust --java --md --color --nocolor --count --column"
        " --group --nogroup --ignore-case --ignore-dir= --ignore-directory= --literal --nofilter"
        " --word-regexp --follow"
    ),
    pattern=split_names("--match -f -g"),
    reads_here=True,
    takes_input=True,
    view="folder",
    left_out=dict.fromkeys(("--ignore-dir", "--ignore-directory"), LeftOut("name", "folders")),
    follows=split_names("--follow"),
)
_DIFF = TreeProgram(
    _extend(
        DIFF,
        "-X= -P -S= --exclude-from= --from-file= --to-file= --starting-file="
        " --unidirectional-new-file",
    ),
    recursive=split_names("-r --recursive"),
    left_out=dict.fromkeys(("-x", "--exclude"), LeftOut("name", strips=False)),
    always_follows=True,
)
_CP = TreeProgram(
    Flags.from_usage(
        "-a -b -d -f -i -H -l -L -n -P -p -R -r -s -S= -t= -T -u -v -x -Z --archive"
        " --attributes-only --backup=? --copy-contents --dereference --force --interactive --link"
        " --no-clobber --no-dereference --no-preserve= --no-target-directory --one-file-system"
        " --parents --preserve=? --recursive --reflink=? --remove-destination --sparse="
        " --strip-trailing-slashes --suffix= --symbolic-link --target-directory= --update=?"
        " --verbose --debug"
    ),
    recursive=split_names("-a -r -R --archive --recursive"),
    last=split_names("-t --target-directory"),
    follows=split_names("-L --dereference"),
)
_SCP = TreeProgram(
    Flags.from_usage(
        "-3 -4 -6 -A -B -C -O -p -q -R -r -s -T -v -c= -D= -F= -i= -J= -l= -o= -P= -S= -X="
    ),
    recursive=split_names("-r"),
    last=frozenset(),
    always_follows=True,
)
_RSYNC = TreeProgram(
    Flags.from_usage(
        "-v -q -c -a -r -R -u -d -l -L -k -K -H -p -E -A -X -o -g -t -U -N -O -J -S -n -W -x -z -C"
        " -s -h -i -P -0 -4 -6 -y -b -I -m -D -F -e= -B= -T= -f= -M= --archive --recursive"
        " --verbose --quiet --checksum --relative --update --inplace --append --links"
        " --copy-links --copy-unsafe-links --safe-links --copy-dirlinks --keep-dirlinks"
        " --hard-links --perms --executability --chmod= --acls --xattrs --owner --group --devices"
        " --specials --times --omit-dir-times --super --sparse --dry-run --whole-file"
        " --one-file-system --rsh= --rsync-path= --existing --dirs --ignore-existing"
        " --remove-source-files --delete --delete-before --delete-during --delete-after"
        " --delete-excluded --ignore-errors --force --max-delete=N --max-size= --min-size="
        " --partial --partial-dir= --delay-updates --prune-empty-dirs --numeric-ids --timeout=N"
        " --ignore-times --size-only --temp-dir= --compare-dest= --copy-dest= --link-dest="
        " --compress --cvs-exclude --filter= --exclude= --exclude-from= --include="
        " --include-from= --files-from= --from0 --stats --human-readable --progress"
        " --itemize-changes --out-format= --log-file= --info= --bwlimit= --list-only --no-perms"
        " --no-owner --no-group --no-times --mkpath --protect-args --port=N --password-file="
    ),
    recursive=split_names("-a -r --archive --recursive --files-from"),
    last=frozenset(),
    view="inside",
    left_out={"--exclude": LeftOut("transfer")},
    taken_in={"--include": "transfer"},
    restricts=False,
    unfiltered=split_names("-f -F --filter --include-from"),
    follows=split_names("-L -k --copy-links --copy-unsafe-links --copy-dirlinks"),
)
_TAR = TreeProgram(
    Flags.from_usage(
        "-A -c -d -r -t -u -x -f= -b= -C= -T= -X= -g= -G -n -S -k -U -W -O -m -p -s -h -i -B -l -o"
        " -P -v -w -z -j -J -Z -a -I= -H= -V= -L= -M -F= -K= -N= --create --append --update"
        " --concatenate --catenate --extract --get --list --delete --diff --compare --test-label"
        " --file= --directory= --files-from= --exclude= --exclude-from= --exclude-vcs"
        " --exclude-vcs-ignores --exclude-backups --exclude-caches --gzip --bzip2 --xz --zstd"
        " --lzma --lzip --lzop --compress --auto-compress --use-compress-program= --verbose"
        " --totals=? --checkpoint=? --sparse --dereference --hard-dereference --owner= --group="
        " --mode= --mtime= --sort= --format= --numeric-owner --no-recursion --one-file-system"
        " --transform= --xform= --strip-components=N --listed-incremental= --incremental --label="
        " --wildcards --no-wildcards --anchored --no-anchored --wildcards-match-slash"
        " --no-wildcards-match-slash --absolute-names --null --same-permissions"
        " --preserve-permissions --same-owner --no-same-owner --to-stdout --overwrite"
        " --keep-old-files --remove-files --acls --xattrs --selinux --posix --exclude-tag="
    ),
    left_out={"--exclude": LeftOut("tail", crosses=True)},
    filters_operands=True,
    is_positional=True,
    unfiltered=split_names("--no-wildcards --anchored --no-anchored --no-wildcards-match-slash"),
    lists=split_names("-T --files-from"),
    follows=split_names("-h --dereference"),
)
_ZIP = TreeProgram(
    Flags.from_usage(
        "-r -R -q -v -j -m -o -u -f -g -d -D -e -y -T -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -X -l -ll -F"
        " -FF -S -@ -b=A -n=A -t=A -tt=A -P=A -s=A -i=A -x=A --include=A --exclude=A"
        " --recurse-paths --quiet"
    ),
    recursive=split_names("-r -R --recurse-paths -@"),
    view="stored",
    left_out=dict.fromkeys(("-x", "--exclude"), LeftOut("path", "files", crosses=True)),
    taken_in=dict.fromkeys(("-i", "--include"), "path"),
    lists=split_names("-@ -R"),
    always_follows=True,
)
_ZIP_LISTS = split_names("-x -i --exclude --include")
# `-xr!NAME` alone: what `-i` takes in again is not known, and paths begin where it pleases
_SEVEN_ZIP = TreeProgram(
    Flags.from_usage("--exclude= --include="),
    left_out={"--exclude": LeftOut("name")},
    unfiltered=split_names("--include"),
    always_follows=True,
)
_SEVEN_ZIP_OUT = re.compile(r"-xr!([^/\\]+?)(?:/\*?)?", re.DOTALL)
_SEVEN_ZIP_IN = re.compile(r"-(?:a?i|an|x[^r]|xr?@|xr[0-]).*|@.+", re.DOTALL)
_FD = TreeProgram(
    _extend(
        FD,
        "-L -l --follow --list-details --no-ignore-parent --owner= --base-directory="
        " --search-path=",
    ),
    pattern=frozenset(),
    reads_here=True,
    view="folder",
    left_out=dict.fromkeys(("-E", "--exclude"), LeftOut("gitignore")),
    taken_in=dict.fromkeys(("-e", "--extension"), "name"),
    lists=split_names("--base-directory"),
    depths={"-d": 0, "--max-depth": 0, "--exact-depth": 0},
    follows=split_names("-L --follow"),
    skips="hidden",
    hidden=split_names("-H --hidden"),
    ignored=split_names("-u -I --unrestricted --no-ignore --no-ignore-vcs --no-ignore-parent"),
)
PROGRAMS: Mapping[str, TreeProgram] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), _GREP),
    **dict.fromkeys(("tar", "bsdtar"), _TAR),
    **dict.fromkeys(("7z", "7za"), _SEVEN_ZIP),
    **dict.fromkeys(("fd", "fdfind"), _FD),
    "rg": _RG,
    "ag": _AG,
    "ack": _ACK,
    "diff": _DIFF,
    "cp": _CP,
    "scp": _SCP,
    "rsync": _RSYNC,
    "zip": _ZIP,
}


def spell_out(program: str, arguments: Sequence[str]) -> list[str]:
    """Return the words as their parser takes them: tar's first word, the lists of zip and 7z."""
    if program in ("tar", "bsdtar") and arguments and not arguments[0].startswith("-"):
        return _spell_out_letters(arguments[0], arguments[1:])
    if program in ("7z", "7za"):
        return _spell_out_seven_zip(arguments)
    if program != "zip":
        return list(arguments)
    spelled, option = list[str](), ""
    for word in arguments:
        if word.startswith("-") or word == "@":
            option = word if word in _ZIP_LISTS else ""
            spelled += [] if option or word == "@" else [word]
        else:
            spelled += [option, word] if option else [word]
    return spelled


def _spell_out_seven_zip(arguments: Sequence[str]) -> list[str]:
    """Return the operands of 7z, and its switches as far as they say what is read."""
    spelled = list[str]()
    for word in arguments:
        if match := _SEVEN_ZIP_OUT.fullmatch(word):
            spelled.append(f"--exclude={match[1]}")
        elif _SEVEN_ZIP_IN.fullmatch(word):
            spelled += ["--include=*", *(["."] if word.startswith("@") else [])]
        elif not word.startswith("-"):
            spelled.append(word)
    return spelled


def _spell_out_letters(letters: str, arguments: Sequence[str]) -> list[str]:
    """Return the options of `tar czf x.tgz` each with its value."""
    remaining, spelled = list(arguments), list[str]()
    for letter in letters:
        spelled.append(f"-{letter}")
        if _TAR.flags.kinds.get(f"-{letter}") and remaining:
            spelled.append(remaining.pop(0))
    return [*spelled, *remaining]
