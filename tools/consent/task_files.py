"""Files in which task runners and build tools look up the names that a command line gives them."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from ...config.trust.command_files import list_make_includes
from ...config.trust.runner_files import BUILD_FILES
from ...config.yaml.reader import compose_tree
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
_JUST_INCLUDE = re.compile(
    r"^(?:import\??[ \t]+|mod\??[ \t]+(?:\w+[ \t]+)?)(?:'([^'\n]+)'|\"([^\"\n]+)\"|([^'\"#\n]+))",
    re.MULTILINE,
)
_NINJA_INCLUDE = re.compile(r"^(?:include|subninja)[ \t]+([^#\n]+)", re.MULTILINE)
_NINJA_GOES_ON = re.compile(r"\$\r?\n[ \t]*")
_YAML = ("task", "go-task", "docker", "docker-compose", "podman", "podman-compose")
# Whose files name others that belong to them
_INCLUDING = frozenset((*MAKE, "just", "ninja", "mise", *_YAML))
# What they read without being told, besides: variables, and tasks that are files
_VARIABLES = dict.fromkeys(("docker", "docker-compose", "podman", "podman-compose"), (".env",))
_TASK_FOLDERS = ("mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks")
_READ_BESIDES = {**_VARIABLES, "mise": tuple(f"{folder}/**/*" for folder in _TASK_FOLDERS)}
_DOTENV_NAME = re.compile(
    r"""^set[ \t]+dotenv-(?:filename|path)[ \t]*:=[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|(\S.*))""",
    re.MULTILINE,
)
_MISE_KEY = re.compile(r"(?:^|[\s{,.])(?:file|source|includes|path)[ \t]*=[ \t]*([^\n]+)")
_QUOTED = re.compile(r"""(['"])([^'"\n]+)\1""")
# A shell's script, or a program that is called by its path, where a command begins
_BEGINS = (
    r"(?:^|[;&|(`]|\b(?:then|do|else|exec|env|time|nohup|sudo|shell)\s)[\s@+\-'\"]*(?:\w+=\S*\s+)*"
)
_SCRIPT = re.compile(
    rf"""{_BEGINS}(?:(?:(?:ba|z|da|k|fi)?sh(?:\s+-\w+)*|source|\.)\s+['"]?([^\s;&|<>`'"-][^\s;&|<>`'"]*)"""
    r"""|([^\s;&|<>`'"=]*/[^\s;&|<>`'"]+))""",
    re.MULTILINE,
)
_NAMED_LINE = re.compile(r"^[\w:./-]+: +", re.MULTILINE)  # of a script of `package.json`
_MAKE_CALL = re.compile(r"(?:\$[({]MAKE[)}]|(?<![\w./-])g?make(?![\w.-]))([^\n;&|]*)")
_MAKE_OPTION = re.compile(
    r"(?:^|\s)(?:-(C|f)[ \t]*|--(directory|file|makefile)[ \t=]+)['\"]?([^\s'\"]+)"
)
_CHANGES_FOLDER = re.compile(r"\bcd[ \t]+['\"]?([^\s'\";&|]+)['\"]?[ \t]*(?:&&|;)[^\n]*$")
_GOES_ON = re.compile(r"\\\r?\n[ \t]*")
# What a compiler has made: what decides it is in its sources
_MACHINE_CODE = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ")
_YAML_NAMES = (".yml", ".yaml")
# Keys of Taskfiles and Compose files below which a word names a file, whatever it is called
_FILE_KEYS = frozenset(
    (
        *("include", "includes", "taskfile", "extends", "file", "dockerfile", "build", "context"),
        *("env_file", "dotenv", "path"),
    )
)
# What stands for something that only the program knows, or is fetched
_UNRESOLVED = re.compile(r"\$|\{\{|://")
# What an included folder stands for
_OF_FOLDERS = ("Taskfile.yml", "Taskfile.yaml", "Dockerfile", "mod.just", "justfile")
# Most files that a file of tasks includes
_MAX_INCLUDES = 50


def find_tasks(program: str, folders: Sequence[Path], root: Path) -> Iterator[Origin]:
    """Yield what a program reads in its folder or above it: the nearest file of each name."""
    for folder in folders:
        yield from _find_besides(program, folder, root)
        for name in BUILD_FILES.get(program, "").split():
            places = (place / name for place in (folder, *folder.parents))
            if (file := next(filter(os.path.isfile, places), None)) is None:
                continue
            if origin := read_tasks(program, file, root):
                yield origin
                if program in _INCLUDING:
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


def _find_besides(program: str, folder: Path, root: Path) -> Iterator[Origin]:
    """Yield what a program reads of its own accord besides its file of tasks."""
    for pattern in _READ_BESIDES.get(program, ()):
        matches = find_matches(pattern, folder)
        if matches is None:
            yield build_unknown_origin("tasks", pattern)
        for file in matches or ():
            if origin := read_file_origin("tasks", file, root):
                yield origin


def find_scripts(commands: str, folder: Path, root: Path) -> Iterator[Origin]:
    """Yield the shell scripts, and programs called by a path, that lines of commands start."""
    lines = _GOES_ON.sub(" ", _NAMED_LINE.sub("", commands))
    for start in _SCRIPT.finditer(lines):
        name = re.sub(r"\$[({]?(?:CURDIR|PWD|\$PWD)[)}]?", ".", start[1] or start[2])
        name = name if "(" in name else name.rstrip(")")
        if _UNRESOLVED.search(name):
            if name.endswith((".sh", ".bash")):
                yield build_unknown_origin("tasks", name)
        elif (origin := read_file_origin("script", folder / name, root)) and not _is_built(
            folder / name
        ):
            yield origin


def _is_built(file: Path) -> bool:
    with suppress(OSError), file.open("rb") as stream:
        return stream.read(4).startswith(_MACHINE_CODE)
    return False


def _find_included(program: str, tasks: Origin, base: Path, root: Path) -> Iterator[Origin]:
    """Yield the files that a file of tasks includes or starts by name, and what those name."""
    pending, included = [(tasks, base)], set[Path]()
    while pending:
        origin, folder = pending.pop()
        if program in (*MAKE, "just", "task", "go-task"):
            yield from find_scripts(origin.text, folder, root)
        includes = [(line, folder) for line in _list_includes(program, origin)]
        includes += _list_make_calls(program, origin.text, folder)
        for line, base_folder in includes:
            files = None if _UNRESOLVED.search(line) else _list_included(program, line, base_folder)
            if files is None or len(included | {*files}) > _MAX_INCLUDES:
                yield build_unknown_origin("tasks", line)
                continue
            for file in (file for file in files if file not in included):
                if origin := read_file_origin("tasks", file, root):
                    yield origin
                    pending.append((origin, base_folder if program in MAKE else file.parent))
            included |= {*files}


def _list_make_calls(program: str, makefile: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files that make reads where a recipe starts it again, each with its folder."""
    text = _GOES_ON.sub(" ", makefile) if program in MAKE else ""
    for call in _MAKE_CALL.finditer(text):
        before = text[text.rfind("\n", 0, call.start()) + 1 : call.start()]
        options = _MAKE_OPTION.findall(call[1])
        folders = [name for short, long, name in options if short == "C" or long == "directory"]
        folders += [] if folders else [change[1] for change in _CHANGES_FOLDER.finditer(before)]
        files = [name for short, long, name in options if short == "f" or long.endswith("file")]
        base_folder = folder.joinpath(*map(_expand_folder, folders))
        if any(map(_UNRESOLVED.search, map(_expand_folder, folders))):
            yield call[0].strip(), folder
        elif folders or files:
            yield " ".join(files or BUILD_FILES[program].split()), base_folder


def _expand_folder(name: str) -> str:
    return re.sub(r"^\$[({](?:CURDIR|PWD)[)}]", ".", name)


def _list_includes(program: str, tasks: Origin) -> list[str]:
    """Return what a file of tasks says about the files that it includes, each as it is written."""
    if program in MAKE:
        return list_make_includes(tasks.text)
    if program == "ninja":
        joined = _NINJA_GOES_ON.sub("", tasks.text)
        return [line.strip() for line in _NINJA_INCLUDE.findall(joined)]
    if program == "just":
        matches = [*_JUST_INCLUDE.findall(tasks.text), *_DOTENV_NAME.findall(tasks.text)]
        names = ["".join(quoted).strip() for quoted in matches]
        return [*names, ".env"] if "dotenv-load" in tasks.text else names
    if program == "mise":
        lines = _MISE_KEY.findall(tasks.text)
        return [name for line in lines for _, name in _QUOTED.findall(line)]
    source = tasks.provenance.source  # Dockerfiles, too, which name no others
    is_yaml = source.endswith(_YAML_NAMES)
    return list(dict.fromkeys(_list_yaml_names(tasks.text, source))) if is_yaml else []


def _list_yaml_names(content: str, source: str) -> Iterator[str]:
    """Yield the words of a YAML file that may name a file; the file itself if it is no YAML."""
    try:
        pending: list[tuple[Any, str]] = [(compose_tree(content), "")]
    except Exception:  # ruamel also raises other errors for odd tags
        yield f"{source}://"
        return
    seen = set[int]()
    while pending:
        node, key = pending.pop()
        if node is None or id(node) in seen:  # an anchor leads to the same node again
            continue
        seen.add(id(node))
        value = cast("object", node.value)
        if not isinstance(value, list):
            name = str(value)
            is_named = key in _FILE_KEYS
            may_name = name.endswith((*_YAML_NAMES, *_OF_FOLDERS)) or "/" in name
            if is_named or (may_name and not _UNRESOLVED.search(name)):
                yield name
            continue
        for item in cast("list[Any]", value):
            if not isinstance(item, tuple):
                pending.append((item, key))
                continue
            name_node, below = cast("tuple[Any, Any]", item)
            is_below = key in ("include", "includes") and below.id != "mapping"
            pending.append((below, key if is_below else str(name_node.value)))
        yield from _list_build_files(node)


def _list_build_files(node: Any) -> Iterator[str]:
    """Yield the Dockerfile of a service that names one in its own context."""
    items = cast("list[object]", node.value)
    pairs = [cast("tuple[Any, Any]", item) for item in items if isinstance(item, tuple)]
    values = {str(name.value): str(value.value) for name, value in pairs}
    if "context" in values and "dockerfile" in values:
        yield f"{values['context']}/{values['dockerfile']}"


def _list_included(program: str, line: str, folder: Path) -> list[Path] | None:
    """Return the files that the rest of an `include` names; None if they are too many."""
    files = list[Path]()
    is_list = program in MAKE or program == "ninja"
    for name in line.split() if is_list else [line]:
        is_glob = program in MAKE and is_pattern(name)
        matches = find_matches(name, folder) if is_glob else _list_named(name, folder)
        if matches is None:
            return None
        files += sorted(matches)
    if program in _YAML:
        files = [file for file in files if os.path.isfile(file)]
    return list(dict.fromkeys(files))


def _list_named(name: str, folder: Path) -> list[Path]:
    """Return the file of a name, those of a folder, and that of a module of just."""
    path = folder / name
    if os.path.isdir(path):
        return [path / file for file in _OF_FOLDERS if os.path.isfile(path / file)]
    return [path, Path(f"{path}.just")]
