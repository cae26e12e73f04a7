"""What a builtin changes in the shell that runs it: the folder, and variables."""

from collections.abc import Sequence

from .outputs import known_output
from .scope import Scope, Word
from .step import Step


def take_effect(step: Step, scope: Scope) -> None:
    """Let a step change the scope of what follows."""
    match step.program:
        case "cd" | "pushd" | "popd":
            _change_folder(step, scope)
        case "read" | "mapfile" | "readarray":
            _read(step, scope)
        case "printf" if len(step.words) > 2 and step.words[1].text == "-v":
            printed = known_output((step.words[0], *step.words[3:]), None, scope)
            scope.variables[step.words[2].text] = None if printed is None else (printed,)
        case _:
            pass


def _change_folder(step: Step, scope: Scope) -> None:
    where = [word for word in step.words[1:] if not word.text.startswith("-") or word.text == "-"]
    if where and step.program != "popd":
        scope.enter(where[0].text if where[0].known and where[0].text != "-" else None)
    else:
        home = scope.value("HOME") if step.program == "cd" else None
        scope.enter(home[0] if home else None)


def _read(step: Step, scope: Scope) -> None:
    names = _names(step.words[1:])
    text = step.feed.text
    whole = tuple(text.split("\n")) if text is not None and len(names) == 1 else None
    for name in names or ["REPLY", "MAPFILE"]:
        scope.variables[name] = whole


def _names(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words if word.text.isidentifier()]
