"""Effects of shell builtins on the current folder and the variables."""

import os
import re
from collections.abc import Iterator, Sequence

from .known_outputs import get_known_output
from .network_clients import FETCHERS
from .shell_state import ShellState, Word
from .simple_command import Redirect, SimpleCommand

# Options of `set` that do not change the arguments
_OPTIONS = re.compile(r"(?: [-+](?:\w*o \w+|\w+))*")


def update_state(step: SimpleCommand, scope: ShellState, printed: str | None) -> None:
    """Update the shell state for the commands after a step; `printed` is the step's output."""
    fetches = step.program in FETCHERS or FETCHERS & set(step.feed.programs)
    for name, adds in _find_output_files(step):
        path = os.path.normpath(name)
        before = scope.files.get(path, "") if adds else ""
        if fetches:
            scope.files[path] = None
        elif printed is not None and before is not None:
            scope.files[path] = before + printed
    match step.program:
        case "mkdir" if scope.folder:
            names = [word.text for word in step.words[1:]]
            scope.made |= {os.path.normpath(scope.folder / name) for name in names}
        case "cd" | "pushd" | "popd":
            _change_folder(step, scope)
        case "read" | "mapfile" | "readarray":
            _apply_read(step, scope)
        case "set":
            _apply_set(step, scope)
        case "eval" | "source" | "." if _runs_unknown_code(step):
            scope.forget_variables()
        case "unset":
            scope.variables.update(dict.fromkeys(_list_names(step.words[1:]), ("",)))
        case "shift":
            scope.forget_arguments()
        case "printf" if len(step.words) > 2 and step.words[1].text == "-v":
            printed = get_known_output((step.words[0], *step.words[3:]), None, scope)
            scope.variables[step.words[2].text] = None if printed is None else (printed,)
        case _:
            pass


def read_written_files(
    words: Sequence[Word], redirects: Sequence[Redirect], scope: ShellState
) -> tuple[str, ...]:
    """Return the contents of the named files that the line itself has written."""
    names = [*(word.text for word in words), *(redirect.target.text for redirect in redirects)]
    texts = (scope.files.get(os.path.normpath(name)) or scope.files.get(name) for name in names)
    return tuple(text for text in texts if text)


def find_fetched_file(words: Sequence[Word], scope: ShellState) -> str:
    """Return the name of a file that the line itself has downloaded; empty if there is none."""
    fetched = (word.text for word in words if os.path.normpath(word.text) in scope.files)
    return next((name for name in fetched if scope.files[os.path.normpath(name)] is None), "")


def _find_output_files(step: SimpleCommand) -> Iterator[tuple[str, bool]]:
    """Yield the files that a step writes to, and whether their old content is kept."""
    for redirect in step.redirects:
        if redirect.writes:
            yield redirect.target.text, ">>" in redirect.operator
    if step.program == "tee" or step.program in FETCHERS:
        names = [word.text for word in step.words[1:]]
        has_options = any(name.startswith("-") for name in names)  # such as `-a` and `--help`
        yield from ((name, has_options) for name in names)


def _change_folder(step: SimpleCommand, scope: ShellState) -> None:
    texts = [word.text if word.known else None for word in step.words[1:]]
    names = [name for name in texts if name is None or name == "-" or not name.startswith("-")]
    left = None if scope.folder is None else str(scope.folder)
    match step.program:
        case "popd":
            name, scope.stack = (None, ()) if texts else _pop_folder(scope)
        case "pushd" if not names or (names[0] or "").startswith("+"):
            name, scope.stack = None, ()
        case "pushd":
            name, scope.stack = names[0], (left, *scope.stack)
        case _ if not names:
            name = (scope.get_value("HOME") or (None,))[0]
        case _:
            name = names[0]
    scope.change_folder(scope.previous if name == "-" else _find_folder(name, scope))
    scope.previous = left


def _pop_folder(scope: ShellState) -> tuple[str | None, tuple[str | None, ...]]:
    return (scope.stack[0], scope.stack[1:]) if scope.stack else (None, ())


def _find_folder(name: str | None, scope: ShellState) -> str | None:
    """Return the folder that `cd` goes to; None if `CDPATH` may lead it elsewhere."""
    is_searched = name is not None and not name.startswith(("/", "."))
    searched = scope.variables.get("CDPATH", ("",))
    return None if is_searched and searched != ("",) else name


def _apply_set(step: SimpleCommand, scope: ShellState) -> None:
    """Apply `set -- a b`, which sets the arguments; any other word than an option may do so too."""
    words = step.words[1:]
    texts = [word.text for word in words]
    are_known = all(word.known for word in words)
    if are_known and texts[:1] == ["--"]:
        scope.set_arguments(words[1:])
    elif not are_known or not _OPTIONS.fullmatch("".join(f" {text}" for text in texts)):
        scope.forget_arguments()


def _runs_unknown_code(step: SimpleCommand) -> bool:
    """Return whether code that is not in the line runs; `activate` sets only its own variables."""
    arguments = step.words[1:]
    if step.program == "eval":
        return not all(word.known for word in arguments)
    return bool(arguments) and not step.scripts and not arguments[0].text.endswith("bin/activate")


def _apply_read(step: SimpleCommand, scope: ShellState) -> None:
    names = _list_names(step.words[1:]) or ["REPLY", "MAPFILE"]
    text = step.feed.text
    if text is None:
        scope.variables.update(dict.fromkeys(names))
    elif len(names) == 1 or names[0] == "REPLY":
        scope.variables.update(dict.fromkeys(names, tuple(text.rstrip("\n").split("\n"))))
    else:
        parts = [*text.split(None, len(names) - 1), *[""] * len(names)]
        scope.variables.update(
            (name, (part.strip(),)) for name, part in zip(names, parts, strict=False)
        )


def _list_names(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words if word.text.isidentifier()]
