"""Files in which task runners and build tools look up the names that a command line gives them."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from .file_patterns import find_matches, is_pattern
from .origin import Origin, build_origin, build_unknown_origin, name_source, read_file_origin

_TOX = ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg")
_PYPROJECT = ("pyproject.toml",)
_GRADLE = (
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gradle.properties",
    "gradlew",
    "gradle/wrapper/gradle-wrapper.properties",
)
_MAVEN = ("pom.xml", "mvnw", ".mvn/maven.config", ".mvn/extensions.xml", ".mvn/jvm.config")
_COMPOSE = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_MISE = ("mise.toml", ".mise.toml")
# By program, the files that it reads in its folder or above it
TASK_FILES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(["make", "gmake", "bmake"], ("GNUmakefile", "makefile", "Makefile")),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(["task", "go-task"], ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml")),
    "tox": _TOX,
    "nox": ("noxfile.py",),
    **dict.fromkeys(["invoke", "inv"], ("tasks.py", "invoke.yaml")),
    **dict.fromkeys(["poe", "hatch", "pdm", "poetry", "rye", "uv", "briefcase"], _PYPROJECT),
    "pipenv": ("Pipfile",),
    "doit": ("dodo.py",),
    "scons": ("SConstruct", "Sconstruct", "sconstruct"),
    "fab": ("fabfile.py",),
    **dict.fromkeys(["rake", "drake"], ("Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb")),
    "thor": ("Thorfile",),
    "gulp": ("gulpfile.js", "gulpfile.mjs", "gulpfile.cjs", "gulpfile.ts"),
    "grunt": ("Gruntfile.js", "Gruntfile.cjs", "Gruntfile.coffee"),
    "jake": ("Jakefile", "Jakefile.js"),
    **dict.fromkeys(["gradle", "gradlew"], _GRADLE),
    **dict.fromkeys(["mvn", "mvnw"], _MAVEN),
    "ant": ("build.xml",),
    "sbt": ("build.sbt", "project/plugins.sbt", "project/build.properties"),
    "mage": ("magefile.go",),
    "composer": ("composer.json",),
    "deno": ("deno.json", "deno.jsonc"),
    "ninja": ("build.ninja",),
    "meson": ("meson.build",),
    "cmake": ("CMakeLists.txt", "CMakePresets.json"),
    "bazel": ("BUILD", "BUILD.bazel", "MODULE.bazel", ".bazelrc"),
    **dict.fromkeys(["pre-commit", "prek"], (".pre-commit-config.yaml",)),
    "lefthook": ("lefthook.yml", ".lefthook.yml"),
    "earthly": ("Earthfile",),
    "mise": _MISE,
    "turbo": ("turbo.json", "package.json"),
    "nx": ("nx.json", "package.json", "project.json"),
    "lerna": ("lerna.json", "package.json"),
    "vagrant": ("Vagrantfile",),
    "overmind": ("Procfile",),
    "foreman": ("Procfile",),
    "honcho": ("Procfile",),
    "docker": ("Dockerfile", *_COMPOSE),
    "podman": ("Containerfile", "Dockerfile", *_COMPOSE),
    **dict.fromkeys(["docker-compose", "podman-compose"], _COMPOSE),
    "pip": ("setup.py", "pyproject.toml", "setup.cfg"),
    "mix": ("mix.exs",),
    "rebar3": ("rebar.config",),
    "stack": ("stack.yaml", "package.yaml"),
    "lein": ("project.clj",),
    "swift": ("Package.swift",),
    "zig": ("build.zig",),
    "xmake": ("xmake.lua",),
    "skaffold": ("skaffold.yaml",),
    "melos": ("melos.yaml",),
}

# The part of a file that a program reads, where others change more often
_SECTIONS: Mapping[str, Sequence[str]] = {
    "composer.json": ("scripts",),
    "deno.json": ("tasks",),
    "package.json": ("scripts",),
}
_TOOL_SECTIONS = frozenset(("poe", "tox", "hatch", "pdm", "poetry", "rye"))
MAKE = ("make", "gmake", "bmake")
_INCLUDE = re.compile(r"^[ ]*[-s]?include[ \t]+([^#$\n]+)", re.MULTILINE)
# Most files that Makefiles include
_MAX_INCLUDES = 50


def find_tasks(program: str, folders: Sequence[Path], root: Path) -> Iterator[Origin]:
    """Yield what a program reads in its folder or above it: the nearest file of each name."""
    for folder in folders:
        for name in TASK_FILES.get(program, ()):
            places = (place / name for place in (folder, *folder.parents))
            if (file := next(filter(os.path.isfile, places), None)) is None:
                continue
            if origin := read_tasks(program, file, root):
                yield origin
                if program in MAKE:
                    yield from _find_included(origin, folder, root)


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
    section: object = (
        tomllib.loads(content) if file.suffix == ".toml" else cast(object, json.loads(content))
    )
    for key in keys:
        section = cast("dict[str, object]", section).get(key, {})
    return json.dumps(section, indent=1, ensure_ascii=False, default=str) + "\n"


def _find_included(makefile: Origin, folder: Path, root: Path) -> Iterator[Origin]:
    """Yield the files that a Makefile includes by their names, and what those include."""
    texts, seen = [makefile.text], set[Path]()
    while texts:
        for line in _INCLUDE.findall(texts.pop()):
            files = _list_included(str(line).split(), folder)
            if files is None or len(seen | {*files}) > _MAX_INCLUDES:
                yield build_unknown_origin("tasks", str(line).strip())
                continue
            for file in (file for file in files if file not in seen):
                if origin := read_file_origin("tasks", file, root):
                    yield origin
                    texts.append(origin.text)
            seen |= {*files}


def _list_included(names: Sequence[str], folder: Path) -> list[Path] | None:
    """Return the files that an `include` names; None if they are too many."""
    files = list[Path]()
    for name in names:
        matches = find_matches(name, folder) if is_pattern(name) else [folder / name]
        if matches is None:
            return None
        files += sorted(matches)
    return list(dict.fromkeys(files))
