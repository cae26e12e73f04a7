"""What one command starts that its words only name: scripts, tasks, and files that it runs.

Programs that check, test or move files get them as data. All others may run what they are given.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import cast

from ...config.trust.runner_files import BUILD_FILES, PACKAGE_SETTINGS
from ..shell.analysis import AnalyzedCommand
from .data_programs import DATA_PROGRAMS, PLAIN_PROGRAMS, RUN_COMMANDS, RUN_FILES, WRAPPERS
from .file_patterns import find_matches, is_pattern
from .git_origins import find_git_origins
from .harmless_flags import find_command, is_harmless
from .option_values import find_package_settings, list_option_values
from .origin import Origin, build_unknown_origin, list_unique, read_file_origin
from .package_scripts import find_package_scripts
from .task_files import MAKE, find_scripts, find_tasks

_NAMES = ".js .mjs .cjs .jsx .ts .mts .cts .tsx .rb .lua .json .node"
_ENDINGS = tuple(_NAMES.split())
_OF_FOLDERS = ("__main__.py", *(f"index{ending}" for ending in _ENDINGS), "main.go")
# Bytes
_MAX_PACKAGE = 5_000_000
INTERPRETER = re.compile(
    r"(python|pypy|node|deno|bun|perl|ruby|php|lua|tclsh|Rscript|osascript|[bdkz]?a?sh|fish|tsx"
    r"|ts-node|groovy|pwsh|swift|julia|elixir)[\d.]*|eval|source|\."
)
SCRIPT = "script"
_MODULE_PROGRAM = re.compile("python|pypy|coverage")
_MODULE = re.compile(r"-[bBdEhiIOPqsSuvVx]*m(.*)")
# Short options of interpreters that take a value
_VALUED = ("-r", "-C", "-W", "-X", "-I", "-o", "-O", "-e", "-p", "-S", "-l", "-d", "-c")
_SEARCHES = ("find", "fd")
# Programs that count wherever their name stands
_STARTED = frozenset((*BUILD_FILES, *PACKAGE_SETTINGS, "node"))
_WORDS = re.compile(r"[^\s'\"`;&|<>()$={},]+")


def resolve_entries(path: Path) -> Iterator[Path]:
    """Yield the files that `node app`, `node .`, `python package` and the like may begin with."""
    if os.path.isfile(path):
        yield path
        return
    yield from _complete(path)
    if os.path.isdir(path):
        if main := _read_main(path / "package.json"):
            yield from _complete(path / main)
            yield from _list_existing(path / main / name for name in _OF_FOLDERS)
        yield from _list_existing(path / name for name in _OF_FOLDERS)


def _complete(path: Path) -> Iterator[Path]:
    return _list_existing([path, *(Path(f"{path}{ending}") for ending in _ENDINGS)])


def _list_existing(files: Iterable[Path]) -> Iterator[Path]:
    return filter(os.path.isfile, files)


def _read_main(file: Path) -> str:
    with suppress(OSError, ValueError, RecursionError), file.open("rb") as stream:
        data: object = json.loads(stream.read(_MAX_PACKAGE))
        main = cast("dict[str, object]", data).get("main") if isinstance(data, dict) else ""
        return main if isinstance(main, str) else ""
    return ""


def find_origins(
    words: Sequence[str], folder: Path | None, root: Path, *, is_final: bool = True
) -> tuple[Origin, ...]:
    """Return what a command starts; `is_final`: no word needs expansion.

    An unknown folder counts as the project's.
    """
    place = folder or root
    return list_unique(_find_origins(words, place, root, is_final=is_final)) if words else ()


def find_line_origins(
    line: str, commands: Sequence[AnalyzedCommand], folder: Path, root: Path
) -> tuple[Origin, ...]:
    """Return what a whole line starts, with every file that it names if that is not certain.

    So `bash < run.sh`, `cat run.sh | bash` and `F=run.sh; bash $F` start `run.sh`.
    """
    origins = [
        origin
        for command in commands
        for origin in find_origins(
            command.words, command.folder or folder, root, is_final=command.literal
        )
    ]
    if any(map(_may_run_other_files, commands)):
        words = list_words(line)
        origins += _read_files(words, folder, root)
        if any(command.words[0] in _SEARCHES for command in commands):
            names = [word for word in words if word.strip(".") and not re.search("^-|/", word)]
            origins += _read_files([f"**/{name}" for name in names], folder, root)
    return list_unique(origins)


def list_words(line: str) -> list[str]:
    """Return everything in a line that may be a path, without regard to its grammar."""
    return _WORDS.findall(line)


def find_program_origins(
    program: str, arguments: Sequence[str], folder: Path, root: Path
) -> tuple[Origin, ...]:
    """Return what a program that is started without a shell runs, such as an MCP server."""
    words = [program, *arguments]
    origins = list(_find_origins(words, folder, root, is_final=True))
    if PurePosixPath(program).name in WRAPPERS:
        origins += _read_files(arguments, folder, root)
    return list_unique(origins)


def _may_run_other_files(command: AnalyzedCommand) -> bool:
    """Return whether it runs files of other words: from its input, or from a variable."""
    program, *words = command.words
    name = PurePosixPath(program).name
    is_open = not command.literal or "{}" in words  # `find … -exec bash {} +`
    if is_open and (name not in DATA_PROGRAMS or "$" in program):
        return name not in _SEARCHES  # what they run is a command of its own
    arguments = [word for word in words if not word.startswith("-") or word == "-"]
    is_interpreter = INTERPRETER.fullmatch(name) is not None
    return is_interpreter and ("-s" in words or not arguments or arguments[0] == "-")


def _find_origins(
    words: Sequence[str], folder: Path, root: Path, *, is_final: bool
) -> Iterator[Origin]:
    program, arguments = PurePosixPath(words[0]).name, list(words[1:])
    if "/" in words[0]:
        yield from _read_files([words[0]], folder, root)
    folders = [folder, *_find_folders(arguments, folder)]
    if program in MAKE and "-C" in arguments and len(folders) == 2:
        folders = folders[1:]
    if program == "git":
        yield from find_git_origins(folder, root)
    for name, following in _list_programs(program, arguments):
        for origin in find_package_scripts([name, *following], folders, root):
            yield origin
            base = (root / origin.provenance.source).parent
            yield from find_scripts(origin.text, base, root)
        yield from find_package_settings(name, folders, root)
        yield from find_tasks(name, folders, root)
    if program in WRAPPERS:
        return
    if INTERPRETER.fullmatch(program):
        if _is_test_run(program, arguments):
            yield from _read_files(list_option_values(program, arguments), folder, root)
        else:
            yield from _find_run_files(program, arguments, folder, root)
    elif program not in DATA_PROGRAMS:
        yield from _read_files(arguments, folder, root)
    else:
        yield from _find_data_origins(words, folder, root, is_final=is_final)


def _list_programs(program: str, arguments: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the program, and each that it may start: `python -m tox`, `direnv exec . make`."""
    yield program, arguments
    if program not in DATA_PROGRAMS:
        words = list_words(" ".join(arguments))
        names = [PurePosixPath(word).name for word in words]
        yield from ((name, words[at + 1 :]) for at, name in enumerate(names) if name in _STARTED)


def _find_data_origins(
    words: Sequence[str], folder: Path, root: Path, *, is_final: bool
) -> Iterator[Origin]:
    """Yield what a program runs whose operands are data: values of options, and subcommands'."""
    program, arguments = PurePosixPath(words[0]).name, list(words[1:])
    is_known = is_harmless(words, folder, root)
    if not is_final or not is_known:
        yield from _read_files(arguments, folder, root, are_entries=False)
    if program in PLAIN_PROGRAMS or (is_known and find_command((program, *arguments))):
        return
    values = list_option_values(program, arguments)
    yield from _read_files(values, folder, root, are_entries=program not in ("git", "go"))
    runs = [at for at, word in enumerate(arguments) if word in RUN_COMMANDS.get(program, ())]
    if runs:
        yield from _find_run_command(program, arguments[runs[0] + 1 :], folder, root)


def _find_run_command(
    program: str, arguments: Sequence[str], folder: Path, root: Path
) -> Iterator[Origin]:
    """Yield what `go run`, `coverage run`, `git bisect run` and the like start."""
    yield from _read_files(RUN_FILES.get(program, ()), folder, root)
    if program == "git":
        yield from _read_files(list_words(" ".join(arguments)), folder, root, are_entries=False)
    elif program == "go":
        names = [f"{word}/*.go" for word in arguments if os.path.isdir(folder / word)]
        yield from _read_files([*arguments, *names], folder, root, are_entries=False)
    else:
        yield from _find_run_files(program, arguments, folder, root)


def _find_folders(arguments: Sequence[str], folder: Path) -> Iterator[Path]:
    """Yield the folders that options may name, as `-C sub` and `--prefix=sub` do."""
    for name in _spell_paths(arguments):
        with suppress(OSError, ValueError):
            if (folder / name).is_dir() and os.path.normpath(name) != ".":
                yield folder / name


def _is_test_run(program: str, arguments: Sequence[str]) -> bool:
    """Return whether an interpreter runs tests, whose files are data."""
    first = next((word for word in arguments if not word.startswith("-")), "")
    return "--test" in arguments or (program in ("deno", "bun") and first == "test")


def _find_run_files(
    program: str, arguments: Sequence[str], folder: Path, root: Path
) -> Iterator[Origin]:
    """Yield the files up to the script itself: what follows are its arguments."""
    for at, word in enumerate(arguments):
        before = arguments[at - 1] if at else ""
        if name := _find_module(program, before, word):
            module = name.replace(".", "/")
            names = (f"{module}.py", f"{module}/__main__.py", f"{module}/__init__.py")
            yield from _read_files(names, folder, root)
            return
        found = list(_read_files([word], folder, root))
        yield from found
        if found and not word.startswith("-") and not _takes_value(before):
            return


def _find_module(program: str, before: str, word: str) -> str:
    """Return the module of `python -m x`, `-Im x` or `-mx`; else empty."""
    if not _MODULE_PROGRAM.match(program):
        return ""
    if attached := _MODULE.fullmatch(word):
        return attached[1]
    option = _MODULE.fullmatch(before)
    return word if option and not option[1] else ""


def _takes_value(option: str) -> bool:
    """Return whether the word after an option of an interpreter may be its value."""
    return option in _VALUED or (option.startswith("--") and "=" not in option)


def _read_files(
    names: Sequence[str], folder: Path, root: Path, *, are_entries: bool = True
) -> Iterator[Origin]:
    """Yield the files of these names; `are_entries`: also what a name without ending stands for."""
    for name in _spell_paths(names):
        with suppress(OSError, ValueError):
            yield from _read_named(os.path.expanduser(name), folder, root, are_entries)


def _read_named(name: str, folder: Path, root: Path, is_entry: bool) -> Iterator[Origin]:
    matches = find_matches(name, folder) if is_pattern(name) else []
    if matches is None:
        yield build_unknown_origin(SCRIPT, name)
    path = folder / name
    for file in (*(resolve_entries(path) if is_entry else [path]), *(matches or ())):
        if origin := read_file_origin(SCRIPT, file, root):
            yield origin


def _spell_paths(words: Sequence[str]) -> Iterator[str]:
    """Yield each word, the value of an option, and the parts of either that may be paths."""
    for word in words:
        if not word.startswith("-"):
            yield word
        elif not word.startswith("--") and len(word) > len("-C"):
            yield word[2:]
        if re.search("[=:,@]", word):
            yield from filter(None, re.split("[=:,@]", word))
