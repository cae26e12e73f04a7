"""Check that a repository's own attributes do not show secrets in its history.

The guard (`tools/git/hardened_git.py`) hides that content with attributes of the lowest priority.
The repository's own `diff` attributes override them: `* diff` would show every secret.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from ....config.text import text
from ...workspace import Workspace
from ..parsing.flags import NotReadOnlyError, split_names
from .git_index import TrackedFiles

NAME = ".gitattributes"
# Bytes of one file
MAX_FILE_BYTES = 1_000_000

_SETS_DIFF = re.compile(rb"^\s*(?!#)(\S+)[^\n]*?\s(!?diff(?:=\S*)?)(?=\s|$)", re.MULTILINE)
# `*.py` or `setup.py`: a pattern for files of one language
_ONE_KIND = re.compile(rb"(?:\*\*/)?(\*?)([\w+-]*\.[\w.+-]+)")
# Extensions of programs and documents; files with any other, such as `*.json`, may have held a
# secret
_LANGUAGES = split_names(
    """
    .ada .adb .ads .bash .bib .bibtex .c .cc .cpp .cs .cshtml .css .cxx .dart .dts .dtsi .el .ex
    .exs .f .f90 .fountain .go .gradle .h .hh .hpp .htm .html .hxx .java .js .jsx .kt .kts .less .m
    .markdown .md .mdx .mjs .mm .pas .php .pl .pm .py .pyi .pyx .rake .rb .rs .sass .scala .scm
    .scss .sh .swift .tex .ts .tsx .vue .xhtml .doc .docx .dot .pdf .rtf
    """
)


def check_attributes(top: Path, common: Path, tracked: TrackedFiles, workspace: Workspace) -> None:
    """Raise NotReadOnlyError if a line of the attributes may apply to a secret."""
    if deleted_names := [name for name in tracked.attributes if not os.path.lexists(top / name)]:
        raise NotReadOnlyError(
            text("`{file}` is deleted, but git still uses its last version", file=deleted_names[0])
        )
    for file in (common / "info/attributes", *(top / name / NAME for name in tracked.folders)):
        for pattern, attribute in _iter_diff_lines(file):
            if not _is_of_a_language(pattern, attribute, workspace):
                raise NotReadOnlyError(
                    text(
                        "`{name}` sets how git shows `{pattern}`, which may include "
                        "secrets in its history",
                        name=NAME,
                        pattern=os.fsdecode(pattern),
                    )
                )


def _is_of_a_language(pattern: bytes, attribute: bytes, workspace: Workspace) -> bool:
    """Return whether a line is like `*.py diff=python`: its files are not secrets by name."""
    kind = _ONE_KIND.fullmatch(pattern)
    if not kind or not attribute.startswith(b"diff="):
        return False
    name = os.fsdecode(kind[2])
    if kind[1]:
        return name.lower() in _LANGUAGES and not workspace.is_ignored(f"x{name}")
    below = {
        ignore_pattern.rpartition("/")[2]
        for ignore_pattern in workspace.ignore
        if "/" in ignore_pattern
    }
    return name.lower() not in below and not workspace.is_ignored(name)


def _iter_diff_lines(file: Path) -> Iterator[tuple[bytes, bytes]]:
    """Yield the pattern and the `diff` attribute of each line that lets git print the content."""
    try:
        stat_result = file.lstat()
    except OSError:
        return
    if not stat.S_ISREG(stat_result.st_mode) or stat_result.st_size > MAX_FILE_BYTES:
        raise NotReadOnlyError(text("`{name}` is not a regular file", name=file.name))
    yield from ((line[1], line[2]) for line in _SETS_DIFF.finditer(file.read_bytes()))
