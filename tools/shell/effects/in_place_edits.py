"""Names of files that a program may edit in place, replace or write: `perl -i`, `git restore`."""

import re
from collections.abc import Iterator

from ..parsing.simple_command import SimpleCommand

_PERL = re.compile(r"-[a-zA-Z0-9]*i.*")
_AWK = re.compile(r"inplace|--include=inplace")
_WRITE = re.compile(r"-w|-i|--write|--in-place|--inplace")
# Programs that change the files in their arguments with such an option
_IN_PLACE = {
    "perl": _PERL,
    "ruby": _PERL,
    "awk": _AWK,
    "gawk": _AWK,
    "prettier": _WRITE,
    "gofmt": _WRITE,
    "goimports": _WRITE,
    "clang-format": _WRITE,
    "autopep8": _WRITE,
    "yapf": _WRITE,
    "find": re.compile(r"-delete|-(exec|ok)(dir)?|-fprint\w*"),
}
_ALWAYS_LIST = """
patch ed ex vim nvim sponge black isort rustfmt gzip gunzip bzip2 bunzip2 xz unxz zstd
"""
# Programs that change them without one
_ALWAYS = frozenset(_ALWAYS_LIST.split())
# Commands of git that change, move or remove files
_GIT = ("checkout", "restore", "rm", "mv", "clean")
_OUTPUT = re.compile(r"--out(?:put|file|-dir|put-document)?=(.+)|-[oO](.+)", re.DOTALL)
_OUTPUT_PROGRAMS = frozenset(["sort", "curl", "wget", "cc", "gcc", "clang", "go", "patch"])


def find_edited_names(step: SimpleCommand) -> Iterator[str]:
    """Yield the words of a step that may name a file which it edits in place or writes.

    Scripts and patterns are among them: what counts is whether a rule covers such a name.
    """
    program, texts = step.program, [word.text for word in step.words[1:]]
    for match in filter(None, map(_OUTPUT.fullmatch, texts)):
        if match[1] or program in _OUTPUT_PROGRAMS:
            yield match[1] or match[2]
    mode = _IN_PLACE.get(program)
    is_git = program == "git" and any(text in _GIT for text in texts[:3])
    if is_git or program in _ALWAYS or (mode and any(map(mode.fullmatch, texts))):
        yield from (text for text in texts if not text.startswith("-"))
