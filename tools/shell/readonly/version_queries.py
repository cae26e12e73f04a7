"""Programs that are asked for nothing but their version.

Not here: those that nearly every project's own files make run something else first (yarn, pnpm,
mvn, gradle, dotnet, composer, bundle, pytest).
"""

from collections.abc import Sequence
from pathlib import Path

from ..parsing.flags import split_names

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
_STEERED_BY = {
    **dict.fromkeys(["cargo", "rustc"], ("rust-toolchain", "rust-toolchain.toml")),
    "go": ("go.mod", "go.work"),
}
"""Files by which a project chooses the tools that answer, which may be fetched first."""


def is_version_query(program: str, arguments: Sequence[str], folder: Path) -> bool:
    """Whether a program is run for its version alone, and is the one that the user installed."""
    if len(arguments) != 1:
        return False
    if arguments[0] in _ASKS_FOR_IT.get(program, ()):
        return not _is_steered(program, folder)
    return program in (_LONG if arguments[0] == "--version" else _SHORT.get(arguments[0], ()))


def _is_steered(program: str, folder: Path) -> bool:
    places = (folder, *folder.parents)
    return any((place / name).exists() for place in places for name in _STEERED_BY[program])
