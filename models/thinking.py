"""Whether a request needs thinking, and the fields that ask a model for it (pure)."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from .http.dialect import RequestOptions
from .resolver import ResolvedModel

Strategy = Literal["auto", "enabled", "disabled"]
# Efforts from the least to the most, in the words of all providers
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
# Characters that a human types for a simple request
SHORT = 150
_MENTION = re.compile(r"(?<!\S)@\S+")
_CODE_BLOCK = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d+[.)、．]\s*\S", re.MULTILINE)


def decide_thinking(strategy: Strategy, message: str, typed: str) -> bool:
    """Return whether the answer to a message needs thinking.

    `typed` is what the human typed of it, without what was piped or mentioned.
    """
    if strategy != "auto":
        return strategy == "enabled"
    return (
        len(_MENTION.sub("", typed).strip()) > SHORT
        or any(pattern.search(message) for pattern in _load_patterns())
        or bool(_CODE_BLOCK.search(message))
        or len(_NUMBERED.findall(message)) > 1
        or message.count("?") + message.count("？") > 1
    )


def build_thinking_fields(resolved: ResolvedModel, options: RequestOptions) -> dict[str, Any]:
    """Return the fields of a request that ask for thinking or for none.

    A model without a switch is left as it is.
    """
    row = resolved.provider
    if resolved.thinking is False:
        return {}
    if not options.thinking:
        return dict(row.thinking_default)
    if options.thinking == "off":
        return dict(row.thinking_off)
    fields = dict(row.thinking_on)
    effort = choose_effort(row.efforts, options.effort)
    if effort and row.effort_field:
        _set_field(fields, row.effort_field.split("."), effort)
    return fields


def choose_effort(efforts: Sequence[str], requested_effort: str) -> str:
    """Return the model's own effort that is nearest to the requested one; empty: its default."""
    offered = [effort for effort in efforts if effort != "none"]
    if requested_effort not in EFFORTS or not offered:
        return ""
    if requested_effort == "max":
        return offered[-1]
    return min(
        offered, key=lambda effort: abs(EFFORTS.index(effort) - EFFORTS.index(requested_effort))
    )


def takes_temperature(resolved: ResolvedModel, options: RequestOptions) -> bool:
    """Return whether the model accepts a temperature in this request."""
    support = resolved.provider.temperature
    return support == "always" or (support == "without_thinking" and options.thinking != "on")


@cache
def _load_patterns() -> Sequence[re.Pattern[str]]:
    """Return what in a message calls for thinking: words, and words in an order."""
    text = Path(__file__).with_name("thinking_words.json").read_text(encoding="utf-8")
    table = cast("dict[str, Any]", json.loads(text))
    english = [[word] for word in cast("list[str]", table["english"])]
    chinese = [[word] for word in cast("list[str]", table["chinese"])]
    steps = cast("Mapping[str, list[list[str]]]", table["steps"])
    return (
        *(_compile_words(words, r"\b{}\b") for words in [*english, *steps["english"]]),
        *(_compile_words(words, "{}") for words in [*chinese, *steps["chinese"]]),
    )


def _compile_words(words: Sequence[str], form: str) -> re.Pattern[str]:
    """Return the pattern of these words in this order."""
    forms = (form.format(re.escape(word).replace(r"\ ", r"\s+")) for word in words)
    return re.compile(".*?".join(forms), re.IGNORECASE | re.DOTALL | re.ASCII)


def _set_field(fields: dict[str, Any], path: Sequence[str], value: object) -> None:
    """Set a field; a path of several names leads into objects."""
    *outer, name = path
    for part in outer:
        fields[part] = fields = dict(fields.get(part, {}))
    fields[name] = value
