"""Tests of anything else: the target `test` of a Makefile."""

import re

from ...config.security.executables import find_program
from ...config.text import text
from .command import TestCommand
from .project_files import MAKEFILES, ProjectFiles

_TARGET = re.compile(r"^(?:[\w./-]+[ \t]+)*test(?:[ \t]+[\w./-]+)*[ \t]*::?(?!=)", re.MULTILINE)
_INSTALL = text("install make from your system's packages")


def detect_make_tests(files: ProjectFiles) -> list[TestCommand]:
    """Detect the target `test`."""
    uppermost = files.folders.get("", frozenset())
    name = next((name for name in MAKEFILES if name in uppermost), "")
    if not name or not _TARGET.search(files.read_text(name)):
        return []
    make = find_program("make", outside=(files.root,))
    problem = (
        "" if make else text("`{program}` is not installed; {how}", program="make", how=_INSTALL)
    )
    return [TestCommand((make or "make", "test"), "make test", "make", problem, found_by=name)]
