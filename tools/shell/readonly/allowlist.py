"""Programs that only read or compute, each with its allowed flags.

The omitted flags write, run something, never end, follow links, read file names from a file, or
are just rare. Programs with their own language are in `special_programs`, programs that search
whole folders in `recursive_programs`.

A new program takes:

- `tools/shell/readonly/allowlist.py`; git: `git_allowlist.py`; `find`, `sed`, `awk` and others
  with a language of their own: `special_programs.py`; whole folders: `recursive_programs.py`;
  states, such as `ps`: `classifier.py`
- `tests/corpora/read_only.yaml`
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..parsing.flags import Flags, split_names

ANY_NUMBER = 1_000_000


@dataclass(frozen=True)
class AllowedProgram:
    """One program: its flags, and the meaning of its other words."""

    flags: Flags = field(default_factory=Flags)
    operands: Literal["files", "text"] = "files"
    most: int = ANY_NUMBER
    """Most operands; the next one would be written to, or change something."""


def _allow_files(usage: str, most: int = ANY_NUMBER) -> AllowedProgram:
    return AllowedProgram(Flags.from_usage(usage), "files", most)


def _allow_text(usage: str = "", most: int = ANY_NUMBER) -> AllowedProgram:
    return AllowedProgram(Flags.from_usage(usage), "text", most)


_DIGEST = _allow_files("-b -t -z --binary --text --tag --zero")
_BASE = _allow_files("-d -D -i -w=N --decode --ignore-garbage --wrap=N")

PROGRAMS = {
    # Content of files
    "cat": _allow_files(
        "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number"
        " --squeeze-blank --show-tabs --show-nonprinting"
    ),
    "tac": _allow_files("-b -r -s= --before --regex --separator="),
    "rev": _allow_files(""),
    "nl": _allow_files("-b= -d= -f= -h= -i=N -l=N -n= -p -s= -v=N -w=N --body-numbering="),
    "head": _allow_files(
        "-NUM -c=N -n=N -q -v -z --bytes=N --lines=N --quiet --silent --verbose --zero-terminated"
    ),
    "tail": _allow_files(
        "-NUM -c=N -n=N -q -v -z --bytes=N --lines=N --quiet --silent --verbose --zero-terminated"
    ),
    "wc": _allow_files("-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total="),
    "sort": _allow_files(
        "-b -d -f -g -h -i -M -n -r -R -V -c -C -k= -m -s -t= -u -z --ignore-leading-blanks"
        " --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort"
        " --numeric-sort --reverse --version-sort --check=? --key= --field-separator= --unique"
        " --stable --zero-terminated"
    ),
    "uniq": _allow_files(
        "-c -d -D -f=N -i -s=N -u -w=N -z --count --repeated --all-repeated=? --skip-fields=N"
        " --group=? --ignore-case --skip-chars=N --unique --check-chars=N --zero-terminated",
        most=1,
    ),
    "cut": _allow_files(
        "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement"
        " --only-delimited --output-delimiter= --zero-terminated"
    ),
    "paste": _allow_files("-d= -s -z --delimiters= --serial --zero-terminated"),
    "join": _allow_files(
        "-a=N -e= -i -1=N -2=N -j=N -o= -t= -v=N -z --header --check-order", most=2
    ),
    "comm": _allow_files("-1 -2 -3 -i -z --output-delimiter= --nocheck-order --total", most=2),
    "cmp": _allow_files("-b -i= -l -n=N -s --print-bytes --verbose --bytes=N --quiet --silent"),
    "fold": _allow_files("-NUM -b -s -w=N --bytes --spaces --width=N"),
    "fmt": _allow_files("-NUM -c -s -t -u -w=N --width=N --uniform-spacing --split-only"),
    "expand": _allow_files("-NUM -i -t= --initial --tabs="),
    "unexpand": _allow_files("-a -t= --all --first-only --tabs="),
    "column": _allow_files("-t -s= -o= -x -c=N -J -N= -R= -H= -O= -l=N --table --separator="),
    "od": _allow_files("-A= -j= -N= -S=N -t= -v -w=? -a -b -c -d -f -i -l -o -s -x --format="),
    "hexdump": _allow_files("-b -c -C -d -n=N -o -s= -v -x --canonical --length=N --skip="),
    "base64": _BASE,
    "base32": _BASE,
    **dict.fromkeys(
        split_names("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum"),
        _DIGEST,
    ),
    "file": _allow_files(
        "-b -h -i -k -L -N -n -r -0 --brief --mime --mime-type --mime-encoding --dereference"
        " --no-dereference --keep-going --raw --extension"
    ),
    # Names and paths of files
    "ls": _allow_files(
        "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I= -k -l -m -n -N -o -p -q -Q -r -R -s -S"
        " -t -T=N -u -U -v -w=N -x -X -Z -1 --all --almost-all --author --escape --block-size="
        " --ignore-backups --color=? --directory --classify=? --file-type --format= --full-time"
        " --group-directories-first --no-group --human-readable --si --hide= --ignore="
        " --indicator-style= --inode --kibibytes --literal --numeric-uid-gid --hide-control-chars"
        " --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort="
        " --time= --time-style= --width= --zero"
    ),
    "tree": _allow_files(
        "-a -d -f -i -x -p -u -g -s -h -D -F -q -N -Q -v -t -c -U -r -n -C -A -S -J -X -L=A -P=A"
        " -I=A --noreport --prune --dirsfirst --filesfirst --filelimit=N --ignore-case --matchdirs"
        " --gitignore --sort=A --du --si --inodes --device --charset=A --timefmt=A"
    ),
    "stat": _allow_files("-c= -f -L -t -x --format= --printf= --dereference --file-system --terse"),
    "du": _allow_files(
        "-0 -a -b -B= -c -d=N -h -k -l -m -s -S -t= -x --all --apparent-size --block-size= --bytes"
        " --total --max-depth=N --human-readable --inodes --si --summarize --separate-dirs"
        " --threshold= --time=? --exclude= --one-file-system"
    ),
    "df": _allow_files(
        "-a -B= -h -H -i -k -l -m -P -t= -T -x= --all --block-size= --human-readable --si --inodes"
        " --local --output=? --portability --total --type= --print-type --exclude-type="
    ),
    "realpath": _allow_files(
        "-e -L -m -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical"
        " --quiet --relative-to=F --relative-base=F --strip --no-symlinks --zero"
    ),
    "readlink": _allow_files(
        "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing"
        " --no-newline --quiet --silent --verbose --zero"
    ),
    "basename": _allow_text("-a -s= -z --multiple --suffix= --zero"),
    "dirname": _allow_text("-z --zero"),
    "pwd": _allow_text("-L -P --logical --physical", most=0),
    # Text from arguments
    "tr": _allow_text("-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1"),
    "seq": _allow_text("-NUM -f= -s= -w --format= --separator= --equal-width"),
    # System
    "which": _allow_text("-a"),
    "type": _allow_text("-a -f -p -P -t"),
    "whoami": _allow_text(most=0),
    "logname": _allow_text(most=0),
    "hostname": _allow_text("-s --short", most=0),
    "id": _allow_text("-a -g -G -n -r -u -z --group --groups --name --real --user --zero"),
    "groups": _allow_text(),
    "uname": _allow_text(
        "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release"
        " --kernel-version --machine --processor --hardware-platform --operating-system",
        most=0,
    ),
    "arch": _allow_text(most=0),
    "nproc": _allow_text("--all --ignore=N", most=0),
    "uptime": _allow_text("-p -s --pretty --since", most=0),
    "free": _allow_text("-b -k -m -g -h -l -t -w --human --si --total --wide", most=0),
}


_LONG = split_names(
    """
    awk bash cat clang cmake curl docker fd fdfind file find g++ gcc gh git grep java javac jq
    ls make node npm npx perl php pip pip3 python python2 python3 rg ruby ruff sed sqlite3 sort
    tar tree uv wget zsh
    """
)


_SHORT = {
    "-V": split_names("python python3 pip pip3 ruff uv"),
    "-v": split_names("node npm npx ruby perl php"),
    "-version": frozenset(["java", "javac"]),
}


_ASKS_FOR_IT = {
    **dict.fromkeys(["cargo", "rustc"], split_names("--version -V")),
    "go": split_names("version"),
}


# Files by which a project selects the tool version that runs, which may be downloaded first
_STEERED_BY = {
    **dict.fromkeys(["cargo", "rustc"], ("rust-toolchain", "rust-toolchain.toml")),
    "go": ("go.mod", "go.work"),
}


def is_version_query(program: str, arguments: Sequence[str], folder: Path) -> bool:
    """Return whether a program only prints its version, and is the one that the user installed."""
    if len(arguments) != 1:
        return False
    if arguments[0] in _ASKS_FOR_IT.get(program, ()):
        return not _is_steered(program, folder)
    return program in (_LONG if arguments[0] == "--version" else _SHORT.get(arguments[0], ()))


def _is_steered(program: str, folder: Path) -> bool:
    places = (folder, *folder.parents)
    return any((place / name).exists() for place in places for name in _STEERED_BY[program])
