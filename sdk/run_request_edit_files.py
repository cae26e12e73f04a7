"""The files of an edit: what the user names, as the project knows it."""

from collections.abc import Sequence
from pathlib import Path

from ..config.errors import UsageError
from ..config.settings.loader import load
from ..tools.result import ToolRefusal
from ..tools.workspace import Workspace


def edit_files(files: Sequence[str], folder: Path, home: Path) -> list[str]:
    """The real files, each once, by path relative to the project; they need not exist.

    Raises UsageError for what is no file, is outside the project, or that no tool may touch.
    """
    ignored = load(folder, home).settings.security.ignore_patterns
    workspace = Workspace(folder, tuple(ignored), home)
    return list(dict.fromkeys(_file(workspace, file) for file in files))


def _file(workspace: Workspace, file: str) -> str:
    try:
        real = workspace.resolve(file)
    except ToolRefusal as refusal:
        hint = "file names are relative to the project folder, which you can set with `--folder`"
        raise UsageError(str(refusal), hint=hint) from refusal
    if real.is_dir() or file.endswith("/"):
        raise UsageError(f"`{file}` is a folder", hint="give the files in it to change")
    return workspace.relative(real)
