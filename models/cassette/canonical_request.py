"""Requests in a form that two runs share: no secrets, random IDs, folders, durations (pure).

It says whether a replay asks what was asked when the log was recorded.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from ...config.security.redaction import redact
from ...config.text import text

# In `additional_kwargs` of a system message: the project's folder, whose name a copy does not share
FOLDER = "folder"
IN_FOLDER = "<folder>"
# In those of the context message: the part about the machine and the day, which no two runs share
VOLATILE = "volatile"
IN_VOLATILE = "<volatile>"
_SECONDS = re.compile(r"\b\d+(\.\d+)?( ?s| seconds)\b")

CanonicalMessage = dict[str, Any]


def canonicalize_messages(messages: Sequence[BaseMessage]) -> list[CanonicalMessage]:
    """Return the messages in the form that is compared; calls are numbered by their order."""
    folder = str(messages[0].additional_kwargs.get(FOLDER, "")) if messages else ""
    numbers = dict[str, str]()
    return [_canonicalize(message, folder, numbers) for message in messages]


def hash_message(message: CanonicalMessage) -> str:
    """Return the hash of one message."""
    line = json.dumps(message, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(line.encode(errors="replace")).hexdigest()[:16]


def hash_request(messages: Sequence[str], tools: str) -> str:
    """Return the hash of a request, from the hashes of its messages and of its tools."""
    return hashlib.sha256("\n".join([tools, *messages]).encode()).hexdigest()[:32]


def describe_difference(
    expected: Sequence[CanonicalMessage], actual: Sequence[CanonicalMessage]
) -> str:
    """Return the first message that differs, for people; empty if there is none."""
    for number, (message, other) in enumerate(zip(expected, actual, strict=False), start=1):
        if message != other:
            return text(
                "message {number}: recorded {before}, now {after}",
                number=number,
                before=_quote(message, other),
                after=_quote(other, message),
            )
    if len(expected) != len(actual):
        return text(
            "recorded {before} messages, now {after}", before=len(expected), after=len(actual)
        )
    return ""


def _canonicalize(message: BaseMessage, folder: str, numbers: dict[str, str]) -> CanonicalMessage:
    words = str(message.text)
    if volatile := message.additional_kwargs.get(VOLATILE):
        words = words.replace(str(volatile), IN_VOLATILE)
    fields: CanonicalMessage = {"type": message.type, "text": _clean(words, folder)}
    if isinstance(message, AIMessage):
        calls = [*message.tool_calls, *message.invalid_tool_calls]
        fields["tool_calls"] = [
            {
                "id": numbers.setdefault(call["id"] or "", str(len(numbers) + 1)),
                "name": call["name"] or "",
                "args": _clean(_dump_arguments(call["args"]), folder),
            }
            for call in calls
        ]
    if isinstance(message, ToolMessage):
        fields["tool_call_id"] = numbers.get(message.tool_call_id, "unknown")
    return fields


def _dump_arguments(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True)


def _clean(words: str, folder: str) -> str:
    words = str(redact(words))
    if folder:
        words = words.replace(folder, IN_FOLDER)
    return _SECONDS.sub("<seconds>", words)


def _quote(message: CanonicalMessage, other: CanonicalMessage) -> str:
    """Return the part of the message around the first character that differs."""
    line, against = (json.dumps(each, ensure_ascii=False) for each in (message, other))
    same = next(
        (at for at, pair in enumerate(zip(line, against, strict=False)) if pair[0] != pair[1]),
        min(len(line), len(against)),
    )
    start = max(0, same - 60)
    return f"`{'…' if start else ''}{line[start : same + 100]}`"
