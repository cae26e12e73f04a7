"""Scripts of `package.json` that npm, pnpm, yarn and bun run for a name, before and after it."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from ...config.errors import UsageError
from ...config.yaml.reader import read_document
from .file_patterns import find_matches
from .origin import Origin, build_origin, build_unknown_origin, name_source

_PROGRAMS = frozenset(("npm", "pnpm", "pn", "yarn", "yarnpkg", "bun", "cnpm", "ni", "nr"))
# They run scripts of all packages of a workspace; the others do with one of these words
_WORKSPACE_PROGRAMS = frozenset(("lerna", "turbo", "nx", "lage"))
_WORKSPACE_WORDS = re.compile(
    r"-w|-ws|-F|-r|--(workspaces?|filter|recursive)(=.*)?|--include-workspace-root|workspaces?"
)
_PNPM_WORKSPACE = "pnpm-workspace.yaml"
# A pattern of more than is searched
_ANYWHERE = "../**"
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
    program, *arguments = _unwrap(words)
    if program not in _PROGRAMS | _WORKSPACE_PROGRAMS:
        return []
    files = list(dict.fromkeys(filter(None, map(_find_file, folders))))
    origins = list[Origin]()
    if program in _WORKSPACE_PROGRAMS or any(map(_WORKSPACE_WORDS.fullmatch, arguments)):
        for file in list(files):
            packages = _find_packages(file.parent)
            files += packages or ()
            if packages is None:
                origins.append(build_unknown_origin("workspaces", name_source(file, root)))
    names = [word for word in arguments if not word.startswith("-")]
    return origins + [
        origin
        for file in dict.fromkeys(files)
        for origin in _find_in_file(file, program, names, root)
    ]


def _unwrap(words: Sequence[str]) -> Sequence[str]:
    """Return the command of `corepack yarn build`, and `node --run build` in npm's words."""
    program, *arguments = words
    if program == "corepack" and arguments:
        return arguments
    if program == "node" and "--run" in arguments:
        return ["npm", "run", *arguments[arguments.index("--run") + 1 :]]
    return words


def _find_in_file(
    file: Path, program: str, arguments: Sequence[str], root: Path
) -> Iterator[Origin]:
    scripts, first = read_scripts(file), arguments[0] if arguments else ""
    names = dict.fromkeys(_SHORT.get(word, word) for word in arguments)
    if program in _WORKSPACE_PROGRAMS:  # `nx run web:build`
        names |= dict.fromkeys(part for word in arguments for part in word.split(":"))
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


def _find_packages(folder: Path) -> list[Path] | None:
    """Return the `package.json` of each package of a workspace; None if they are too many."""
    files = list[Path]()
    for pattern in _list_patterns(folder):
        matches = find_matches(os.path.join(pattern, FILE), folder)
        if matches is None:
            return None
        files += (file for file in matches if "node_modules" not in file.parts)
    return files


def _list_patterns(folder: Path) -> Iterator[str]:
    """Yield the patterns of folders by which npm, yarn, lerna and pnpm name their packages."""
    values: list[object] = [_read_json(folder / FILE).get("workspaces")]
    values.append(_read_json(folder / "lerna.json").get("packages"))
    try:
        document = read_document(folder / _PNPM_WORKSPACE)
        values.append(document.values.get("packages") if document else None)
    except UsageError:  # pnpm may read it
        yield _ANYWHERE
    for value in values:
        is_yarn = isinstance(value, dict)
        patterns = cast("dict[str, object]", value).get("packages") if is_yarn else value
        if isinstance(patterns, list):
            items = cast("list[object]", patterns)
            yield from (item for item in items if isinstance(item, str) and item[:1] not in "!/")


def read_scripts(file: Path) -> dict[str, str]:
    """Return the scripts of a `package.json` by name; what is not readable has none."""
    scripts = _read_json(file).get("scripts")
    if not isinstance(scripts, dict):
        return {}
    return {name: str(line) for name, line in cast("dict[str, object]", scripts).items()}


def _read_json(file: Path) -> dict[str, object]:
    if not os.path.isfile(file):  # a pipe would never end
        return {}
    try:
        with file.open("rb") as stream:
            data: object = json.loads(stream.read(_MAX_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", data) if isinstance(data, dict) else {}
