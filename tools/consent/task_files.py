"""Files in which task runners and build tools look up the names that a command line gives them."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from ...config.trust.runner_files import BUILD_FILES
from .file_patterns import find_matches, is_pattern
from .origin import Origin, build_origin, build_unknown_origin, name_source, read_file_origin

# The part of a file that a program reads, where others change more often
_SECTIONS: Mapping[str, Sequence[str]] = {
    "composer.json": ("scripts",),
    "deno.json": ("tasks",),
    "package.json": ("scripts",),
}
_TOOL_SECTIONS = frozenset(("poe", "tox", "hatch", "pdm", "poetry", "rye"))
MAKE = ("make", "gmake", "bmake")
_MAKE_INCLUDE = re.compile(r"^[ ]*[-s]?include[ \t]+([^#$\n]+)", re.MULTILINE)
_JUST_INCLUDE = re.compile(
    r"^(?:import\??[ \t]+|mod\??[ \t]+(?:\w+[ \t]+)?)['\"]?([^'\"\n]+)", re.MULTILINE
)
_NINJA_INCLUDE = re.compile(r"^(?:include|subninja)[ \t]+([^#$\n]+)", re.MULTILINE)
# Any value of one word: which of them is a file of tasks, the files themselves say
_YAML_INCLUDE = re.compile(
    r"^[ \t]+(?:-[ \t]+)?(?:[\w.-]+:[ \t]+)?['\"]?([\w./-]+)['\"]?[ \t]*$", re.MULTILINE
)
# By program how its files name others that belong to them
_INCLUDES = {
    **dict.fromkeys(MAKE, _MAKE_INCLUDE),
    "just": _JUST_INCLUDE,
    "ninja": _NINJA_INCLUDE,
    **dict.fromkeys(("task", "go-task"), _YAML_INCLUDE),
    **dict.fromkeys(("docker", "docker-compose", "podman", "podman-compose"), _YAML_INCLUDE),
}
_YAML_NAMES = (".yml", ".yaml")
# What an included folder stands for
_OF_FOLDERS = ("Taskfile.yml", "Taskfile.yaml", "Dockerfile", "mod.just", "justfile")
# Most files that a file of tasks includes
_MAX_INCLUDES = 50


def find_tasks(program: str, folders: Sequence[Path], root: Path) -> Iterator[Origin]:
    """Yield what a program reads in its folder or above it: the nearest file of each name."""
    for folder in folders:
        for name in BUILD_FILES.get(program, "").split():
            places = (place / name for place in (folder, *folder.parents))
            if (file := next(filter(os.path.isfile, places), None)) is None:
                continue
            if origin := read_tasks(program, file, root):
                yield origin
                if program in _INCLUDES:
                    base = folder if program in MAKE else file.parent
                    yield from _find_included(program, origin, base, root)


def read_tasks(program: str, file: Path, root: Path) -> Origin | None:
    """Return what a program reads in one file; only a part of a file that changes otherwise."""
    keys = _SECTIONS.get(file.name, ())
    if file.name == "pyproject.toml" and program in _TOOL_SECTIONS:
        keys = ("tool", program)
    if keys:
        with suppress(OSError, ValueError, RecursionError, KeyError, TypeError):
            subject = f"tasks {program}"
            return build_origin(subject, name_source(file, root), _read_section(file, keys))
    return read_file_origin("tasks", file, root)


def _read_section(file: Path, keys: Sequence[str]) -> str:
    content = file.read_text(encoding="utf-8")
    section = _parse_toml(content) if file.suffix == ".toml" else cast(object, json.loads(content))
    for key in keys:
        section = cast("dict[str, object]", section).get(key, {})
    return json.dumps(section, indent=1, ensure_ascii=False, default=str) + "\n"


def _parse_toml(content: str) -> object:
    import tomllib  # compiles its expressions: few projects have such a file

    return tomllib.loads(content)


def _find_included(program: str, tasks: Origin, base: Path, root: Path) -> Iterator[Origin]:
    """Yield the files that a file of tasks includes by their names, and what those include."""
    pending, included = [(tasks.text, base)], set[Path]()
    while pending:
        content, folder = pending.pop()
        for line in _INCLUDES[program].findall(content):
            files = _list_included(program, str(line), folder)
            if files is None or len(included | {*files}) > _MAX_INCLUDES:
                yield build_unknown_origin("tasks", str(line).strip())
                continue
            for file in (file for file in files if file not in included):
                if origin := read_file_origin("tasks", file, root):
                    yield origin
                    pending.append((origin.text, folder if program in MAKE else file.parent))
            included |= {*files}


def _list_included(program: str, line: str, folder: Path) -> list[Path] | None:
    """Return the files that the rest of an `include` names; None if they are too many."""
    files = list[Path]()
    for name in line.split():
        matches = find_matches(name, folder) if is_pattern(name) else _list_named(name, folder)
        if matches is None:
            return None
        files += sorted(matches)
    if _INCLUDES[program] is _YAML_INCLUDE:
        files = [file for file in files if file.suffix in _YAML_NAMES or file.name in _OF_FOLDERS]
    return list(dict.fromkeys(files))


def _list_named(name: str, folder: Path) -> list[Path]:
    """Return the file of a name, those of a folder, and that of a module of just."""
    path = folder / name
    if os.path.isdir(path):
        return [path / file for file in _OF_FOLDERS if os.path.isfile(path / file)]
    return [path, Path(f"{path}.just")]
