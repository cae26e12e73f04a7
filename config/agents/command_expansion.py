"""Expansion of custom commands with their arguments: text, files, and shell lines.

Only the command's own text can contain a mention or a shell line, an argument never can. In a shell
line `$1` and `$ARGUMENTS` are left to the shell, which gets the values as variables: so no value
can be read as shell code, however the line quotes it.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

_PLACE = r"\$(?:ARGUMENTS(?!\w)|[1-9](?!\d))"
_VALUE = re.compile(_PLACE)
_SPECIAL = re.compile(
    rf"\\(?P<escaped>!`|@|{_PLACE})"
    r"|!`(?P<shell>[^`\n]+)`"
    rf"|(?<![a-zA-Z0-9_`@])@(?P<file>(?:{_PLACE}|[\w./~-])*(?:{_PLACE}|[\w/~-]))"
    rf"|(?P<value>{_PLACE})"
)
Values = Mapping[str, str]


@dataclass(frozen=True)
class PromptSegment:
    """A part of the expanded prompt."""

    kind: Literal["text", "file", "shell"]
    """file: a mention of it · shell: a command line whose output is inserted once it is allowed."""
    text: str


def expand_prompt(prompt: str, arguments: str) -> list[PromptSegment]:
    """Return the segments in order; words without a placeholder are appended."""
    arguments = arguments.strip()
    values = {f"${number}": word for number, word in enumerate(_split_arguments(arguments), 1)}
    values["$ARGUMENTS"] = arguments
    parts = list(_split_prompt(prompt, values))
    parts.append(PromptSegment("text", _describe_rest(prompt, arguments, values)))
    return _merge_texts(parts)


def _split_arguments(arguments: str) -> list[str]:
    """Split arguments as a shell does; with an unclosed quote, as in `don't`, at each blank."""
    try:
        return shlex.split(arguments)
    except ValueError:
        return arguments.split()


def _describe_rest(prompt: str, arguments: str, values: Values) -> str:
    """Return the words that the prompt does not use; a shell line with `$1` gets all of them."""
    matches = [match for match in _SPECIAL.finditer(prompt) if not match["escaped"]]
    places = {place for match in matches for place in _VALUE.findall(match[0])}
    in_shell = any(match["shell"] and _VALUE.search(match["shell"]) for match in matches)
    if in_shell or "$ARGUMENTS" in places or not arguments:
        return ""
    unused = [word for place, word in values.items() if place not in {*places, "$ARGUMENTS"}]
    appended = " ".join(unused) if places else arguments
    return f"\n\n{appended}" if appended else ""


def _split_prompt(prompt: str, values: Values) -> Iterator[PromptSegment]:
    end = 0
    for match in _SPECIAL.finditer(prompt):
        yield PromptSegment("text", prompt[end : match.start()])
        yield _build_segment(match, values)
        end = match.end()
    yield PromptSegment("text", prompt[end:])


def _build_segment(match: re.Match[str], values: Values) -> PromptSegment:
    if match["escaped"]:
        return PromptSegment("text", match["escaped"])
    if match["shell"]:
        return PromptSegment("shell", _build_shell_line(match["shell"], values))
    expanded = _VALUE.sub(lambda place: values.get(place[0], ""), match["file"] or match[0])
    return PromptSegment("file" if match["file"] and expanded else "text", expanded)


def _build_shell_line(command: str, values: Values) -> str:
    """Return the command line, with the values that it uses set before it."""
    places, assignments = set(_VALUE.findall(command)), ""
    if "$ARGUMENTS" in places:
        assignments = f"ARGUMENTS={shlex.quote(values['$ARGUMENTS'])}; "
    if places - {"$ARGUMENTS"}:
        words = [value for place, value in values.items() if place != "$ARGUMENTS"]
        assignments += f"set -- {shlex.join(words)}; "
    return assignments + command.strip()


def _merge_texts(pieces: list[PromptSegment]) -> list[PromptSegment]:
    """Join neighbouring texts and drop empty segments."""
    joined: list[PromptSegment] = []
    for piece in filter(lambda piece: piece.text, pieces):
        if piece.kind == "text" and joined and joined[-1].kind == "text":
            joined[-1] = PromptSegment("text", joined[-1].text + piece.text)
        else:
            joined.append(piece)
    return joined
