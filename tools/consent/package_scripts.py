"""Scripts of `package.json` that npm, pnpm, yarn and bun run for a name, before and after it."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from .origin import Origin, build_origin, build_unknown_origin, name_source

PACKAGE_PROGRAMS = frozenset(("npm", "pnpm", "yarn", "bun", "cnpm", "ni", "nr"))
FILE = "package.json"
# Bytes
_MAX_FILE = 5_000_000
_RUN = frozenset(("run", "run-script", "rum", "urn"))
# Scripts that run when packages are installed or published
_LIFECYCLE = (
    "preinstall",
    "install",
    "postinstall",
    "prepublishOnly",
    "prepack",
    "preprepare",
    "prepare",
    "postprepare",
    "postpack",
    "publish",
    "postpublish",
)
_INSTALLING = frozenset(
    (
        *("", "install", "i", "in", "ci", "add", "update", "up", "upgrade", "rebuild", "remove"),
        *("uninstall", "install-test", "it", "link", "dedupe", "publish", "pack"),
    )
)
_SHORT = {"t": "test", "tst": "test"}


def find_package_scripts(words: Sequence[str], folders: Sequence[Path], root: Path) -> list[Origin]:
    """Return the scripts that a command line of a package program starts, from each folder."""
    arguments = [word for word in words[1:] if not word.startswith("-")]
    return [
        origin
        for file in dict.fromkeys(filter(None, (_find_file(folder) for folder in folders)))
        for origin in _find_in_file(file, words[0], arguments, root)
    ]


def _find_in_file(
    file: Path, program: str, arguments: Sequence[str], root: Path
) -> Iterator[Origin]:
    scripts, first = read_scripts(file), arguments[0] if arguments else ""
    names = dict.fromkeys(_SHORT.get(word, word) for word in arguments)
    if first in _RUN:
        names.pop(first, None)
    if first == "restart":
        names |= dict.fromkeys(("restart", "stop", "start"))
    # also a name without a script: it may get one
    chosen = arguments[1:2] if first in _RUN else ()
    for name in names:
        if name in scripts or name in chosen:
            yield read_script(name, file, root)
    if first in _INSTALLING and program != "nr":
        yield read_install_scripts(file, root)


def read_script(name: str, file: Path, root: Path) -> Origin:
    """Return one script with what runs before and after it; an empty one if there is none."""
    return _build_origin(f"script {name}", (f"pre{name}", name, f"post{name}"), file, root)


def read_install_scripts(file: Path, root: Path) -> Origin:
    """Return the scripts that run when packages are installed or published."""
    return _build_origin("install scripts", _LIFECYCLE, file, root)


def _build_origin(subject: str, names: Sequence[str], file: Path, root: Path) -> Origin:
    source = name_source(file, root)
    with suppress(OSError):
        if file.stat().st_size > _MAX_FILE:
            return build_unknown_origin(subject, source)
    return build_origin(subject, source, _render(read_scripts(file), names))


def _render(scripts: Mapping[str, str], names: Sequence[str]) -> str:
    return "".join(f"{name}: {scripts[name]}\n" for name in names if name in scripts)


def _find_file(folder: Path) -> Path | None:
    """Return the nearest `package.json`, in the folder or above it."""
    for place in (folder, *folder.parents):
        if os.path.isfile(place / FILE):
            return place / FILE
    return None


def read_scripts(file: Path) -> dict[str, str]:
    """Return the scripts of a `package.json` by name; what is not readable has none."""
    try:
        with file.open("rb") as stream:
            data: object = json.loads(stream.read(_MAX_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
    scripts = cast("dict[str, object]", data).get("scripts") if isinstance(data, dict) else None
    if not isinstance(scripts, dict):
        return {}
    return {name: str(line) for name, line in cast("dict[str, object]", scripts).items()}
