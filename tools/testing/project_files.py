"""The files of a project that show how it is tested: one walk, with a limit."""

import json
import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

# most folders of a project that are searched for tests
MAX_FOLDERS = 500
MAX_BYTES = 1_000_000
# how deep a package of its own may lie
PACKAGE_DEPTH = 2
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in the order of make
_NOT_THE_PROJECT = frozenset(
    ["node_modules", "venv", "env", "build", "dist", "site-packages", "target", "vendor"]
)


@dataclass(frozen=True)
class ProjectFiles:
    """The names of a project's files by folder, the uppermost first; "" is the project's own."""

    root: Path
    folders: dict[str, frozenset[str]]

    def iter_paths(self, suffix: str, below: str = "") -> Iterator[str]:
        """Yield the paths of the files with this suffix, of the project or of one folder."""
        for folder, names in self.folders.items():
            if not below or folder == below or folder.startswith(f"{below}/"):
                yield from sorted(join(folder, name) for name in names if name.endswith(suffix))

    def find_packages(self, name: str) -> list[str]:
        """Return the folders with a file of this name, not deeper than a package may lie."""
        return [
            folder
            for folder, names in self.folders.items()
            if name in names and folder.count("/") < PACKAGE_DEPTH
        ]

    def has(self, path: str) -> bool:
        """Return whether the file was seen."""
        folder, _, name = path.rpartition("/")
        return name in self.folders.get(folder, ())

    def read_text(self, path: str) -> str:
        """Return the file's text, of a long file its beginning; empty if it cannot be read."""
        file = self.root / path
        try:
            if not file.is_file():  # a pipe would never end
                return ""
            with file.open("rb") as opened:
                return opened.read(MAX_BYTES).decode(errors="replace")
        except OSError:
            return ""

    def read_json(self, path: str) -> dict[str, Any]:
        """Return the file's object; empty if there is none."""
        try:
            value = json.loads(self.read_text(path))
        except (ValueError, RecursionError):
            return {}
        return cast(dict[str, Any], value) if isinstance(value, dict) else {}

    def read_toml(self, path: str) -> dict[str, Any]:
        """Return the file's table; empty if it cannot be read."""
        import tomllib  # compiles its expressions: few projects have such a file

        try:
            return tomllib.loads(self.read_text(path))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}


def list_project_files(root: Path) -> ProjectFiles:
    """List the project's folders, the uppermost first; links are not followed."""
    folders: dict[str, frozenset[str]] = {}
    waiting = deque([""])
    while waiting and len(folders) < MAX_FOLDERS:
        folder = waiting.popleft()
        names, subfolders = _list_folder(root / folder)
        if "pyvenv.cfg" in names and folder:  # an environment of Python under another name
            continue
        folders[folder] = names
        waiting.extend(join(folder, name) for name in subfolders)
    return ProjectFiles(root, folders)


def join(folder: str, name: str) -> str:
    """Return a path relative to the project."""
    return f"{folder}/{name}" if folder else name


def _list_folder(folder: Path) -> tuple[frozenset[str], list[str]]:
    try:
        with os.scandir(folder) as entries:
            listing = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return frozenset(), []
    files = frozenset(name for name, is_folder in listing if not is_folder)
    subfolders = sorted(name for name, is_folder in listing if is_folder)
    return files, [name for name in subfolders if name[0] != "." and name not in _NOT_THE_PROJECT]
