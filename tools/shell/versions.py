"""Programs that are asked for nothing but their version.

Not here: those that a project's own files make run something else first (yarn, pnpm, cargo, go,
mvn, gradle, dotnet, composer, bundle, pytest).
"""

from collections.abc import Sequence

from .flags import one_of

_LONG = one_of(
    """
    awk bash cat clang cmake curl docker fd fdfind file find g++ gcc gh git grep java javac jq
    ls make node npm npx perl php pip pip3 python python2 python3 rg ruby ruff sed sqlite3 sort
    tar tree uv wget zsh
    """
)
_SHORT = {
    "-V": one_of("python python3 pip pip3 ruff uv"),
    "-v": one_of("node npm npx ruby perl php"),
    "-version": frozenset(["java", "javac"]),
}


def shows_version(program: str, arguments: Sequence[str]) -> bool:
    """Whether a program is run for its version alone."""
    if len(arguments) != 1:
        return False
    return program in (_LONG if arguments[0] == "--version" else _SHORT.get(arguments[0], ()))
