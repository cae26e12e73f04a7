"""Hooks as written: our names of events and Claude Code's, folded into ours."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, cast

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

HookEvent = Literal["before_tool", "after_tool", "on_stop", "on_session_start"]
OnError = Literal["allow", "ask", "deny"]
EVENTS: tuple[HookEvent, ...] = ("before_tool", "after_tool", "on_stop", "on_session_start")
# Claude Code's name of each event
CLAUDE_EVENTS: Mapping[HookEvent, str] = {
    "before_tool": "PreToolUse",
    "after_tool": "PostToolUse",
    "on_stop": "Stop",
    "on_session_start": "SessionStart",
}


def _check_pattern(pattern: str) -> str:
    try:
        re.compile("" if pattern == "*" else pattern)
    except re.error:
        raise PydanticCustomError("matcher", "Input should be a regular expression") from None
    return pattern


Matcher = Annotated[str, AfterValidator(_check_pattern)]


def fold_events(section: Mapping[str, object]) -> dict[str, object]:
    """Return the section with our names and one entry for each command; the rest is unchanged."""
    folded: dict[str, object] = {
        name: value for name, value in section.items() if name not in CLAUDE_EVENTS.values()
    }
    for event, claude in CLAUDE_EVENTS.items():
        sections = [section[name] for name in (event, claude) if name in section]
        if sections and all(isinstance(entries, list) for entries in sections):
            lists = cast("list[list[object]]", sections)
            folded[event] = [
                entry for entries in lists for group in entries for entry in _split_group(group)
            ]
        elif sections:  # the schema rejects it
            folded[event] = next(value for value in sections if not isinstance(value, list))
    return folded


def _split_group(group: object) -> Iterator[object]:
    """Yield the entries of `{matcher, hooks: [{type, command, timeout}]}`, or the entry itself."""
    if not isinstance(group, Mapping):
        yield group
        return
    fields = cast("Mapping[str, object]", group)
    nested = fields.get("hooks")
    if not isinstance(nested, list):
        yield _without_type(fields)
        return
    shared = {name: value for name, value in fields.items() if name != "hooks"}
    for entry in cast("list[object]", nested):
        if isinstance(entry, Mapping):
            yield {**shared, **_without_type(cast("Mapping[str, object]", entry))}
        else:
            yield entry


def _without_type(entry: Mapping[str, object]) -> dict[str, object]:
    """Leave out `type: command`, the only type; another one stays, and the schema rejects it."""
    return {name: value for name, value in entry.items() if (name, value) != ("type", "command")}
