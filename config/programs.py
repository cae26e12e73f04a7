"""Where a program of the system is: never one of the project's, as a relative PATH would name."""

import os
import shutil
from collections.abc import Mapping


def find_program(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The program's absolute path; None when no absolute entry of PATH has it."""
    return shutil.which(name, path=absolute_entries(environ.get("PATH", os.defpath)))


def absolute_entries(path: str) -> str:
    """The same PATH without entries that mean the current folder, or one below it."""
    return os.pathsep.join(filter(os.path.isabs, path.split(os.pathsep)))
