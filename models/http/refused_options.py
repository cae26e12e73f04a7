"""Options of a request that an endpoint has refused: later requests leave them out (pure).

A server under a maker's name (Azure, a gateway, a local one) may know fewer fields than the maker,
or other names for them, and what is refused once would be refused in every request.
"""

import re
from collections.abc import Mapping
from typing import Any

# What a request can do without; `tool_choice` is none of them
_OPTIONS = (
    *("temperature", "max_tokens", "max_completion_tokens", "max_output_tokens", "stop"),
    *(
        "stream_options",
        "parallel_tool_calls",
        "reasoning_effort",
        "enable_thinking",
        "tool_stream",
    ),
    *("reasoning", "thinking", "output_config", "include", "store"),
)
_OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_REFUSES = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|extra field|extra_forbidden|additional propert|invalid|deprecated|too (large|high|big)"
    r"|range|at most|maximum|exceed|only the default|must be|cannot|less than",
    re.IGNORECASE,
)
# Without quotes, a name of one word may be any word
_NAMED = re.compile(
    rf"(?<![\w.\[])(?:(['\"`\[])({'|'.join(_OPTIONS)})(?:\.\w+)?['\"`\]]"
    r"|(temperature|\w+_\w+))(?![\w\[])"
)
# Faults of the history or of a tool, which would be the same without the option that they name
_OF_CONTENT = re.compile(
    r"\b(?:messages?|tools?|functions?|contents?|input|system)"
    r"(?:\.\d|\[\d|['\"]?, ?\d|\.(?:content|function|tool))"
    r"|\bsignature\b|\binput_schema\b|\bschema for\b|\bfunction ['\"`]|\bblocks?\b"
    r"|\btool_(?:use|result|call)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]{2,9}(?![\w.]*\w)")
# Tokens; a limit below this is none
_MIN_ANSWER = 256


def find_refused_option(message: str, sent: int) -> tuple[str, int] | None:
    """Return the option that an error refuses, and the highest number accepted, else 0.

    `sent` is the request's limit of an answer.
    """
    if not _REFUSES.search(message) or _OF_CONTENT.search(message):
        return None
    names = (match[2] or match[3] for match in _NAMED.finditer(message))
    name = next((name for name in names if name in _OPTIONS), "")
    if name not in _LIMITS:
        return (name, 0) if name else None
    numbers = [int(number.replace(",", "")) for number in _NUMBER.findall(message)]
    return name, max((number for number in numbers if _MIN_ANSWER <= number < sent), default=0)


def remove_refused(fields: dict[str, Any], refused: Mapping[str, int]) -> dict[str, Any]:
    """Return the fields of a request as the endpoint accepts them."""
    for name, limit in refused.items():
        if name not in fields:
            continue
        value = fields.pop(name)
        other = _OTHER_NAMES.get(name, "")
        if limit:
            fields[name] = min(value, limit)
        elif other and refused.get(other, 1):
            fields[other] = min(value, refused.get(other, value))
    return fields
