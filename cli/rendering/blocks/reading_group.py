"""Reading calls that follow each other, as one row: what was read, or how many of each kind."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import reduce
from typing import Any

from ...i18n.catalogs import t
from ..text_width import measure_width
from .phrases import CallPhrase, describe_call

# Calls that are named one by one; more are counted
MAX_NAMED = 4
_PARTS = re.compile(r"\s*(?:\||&&|\|\||;)\s*")
# Marks in a command that may do more than its programs say
_MARKS = re.compile(r"[`$<>\n\\]")
READING_GIT = frozenset({"status", "log", "diff", "show", "branch", "blame"})


def is_reading(tool: str, args: Mapping[str, Any]) -> bool:
    """Return whether a call that succeeded is worth a count only; the thread has its result."""
    from ....tools.tool_table import TOOLS

    entry = TOOLS.get(tool)
    if tool == "run_command":
        return is_reading_command(str(args.get("command", "")))
    return entry is not None and entry.effect in ("read", "fetch")


def is_reading_command(command: str) -> bool:
    """Return whether plain programs that only read make up the command."""
    from ....tools.shell.readonly.classifier import list_reading_programs

    if _MARKS.search(command):
        return False
    programs = set(list_reading_programs())
    for part in _PARTS.split(command.strip()):
        program, *words = part.split() or [""]
        if program == "git":
            if not words or words[0] not in READING_GIT:
                return False
        elif program not in programs:
            return False
    return True


class ReadingGroup:
    """The thoughts and the reading calls since the last other block."""

    def __init__(self) -> None:
        self._phrases: list[CallPhrase] = []
        self._lines: list[tuple[str, bool]] = []
        """Remarks and calls in their order, and whether it is a remark."""
        self.remark = ""
        """The last one-line remark of the model between two calls."""
        self._thought = 0
        """Seconds of thinking."""
        self.seconds = 0.0

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._phrases or self._thought)

    @property
    def is_counted(self) -> bool:
        """Whether the row names no calls, only how many there are."""
        return len(self._phrases) > MAX_NAMED

    @property
    def has_thoughts_only(self) -> bool:
        """Whether nothing was read."""
        return not self._phrases

    def add_thought(self, seconds: int) -> None:
        """Add a thought."""
        self._thought += seconds

    def add_remark(self, text: str) -> None:
        """Add what the model said before its next call."""
        self.remark = text
        self._lines.append((text, True))

    def add_call(self, tool: str, args: Mapping[str, Any], seconds: float) -> None:
        """Add a call that has ended."""
        phrase = describe_call(tool, args)
        if phrase not in self._phrases[-1:]:
            self._phrases.append(phrase)
            self._lines.append((f"{phrase.done} {phrase.subject}".strip(), False))
        self.seconds += seconds

    def format_row(self, width: int) -> str:
        """Return the row: named calls as far as they fit, else their counts."""
        thought = t("thinking.folded", seconds=self._thought) if self._thought else ""
        calls = "" if self.is_counted else _name_calls(self._phrases)
        if self.is_counted or (len(self._phrases) > 1 and measure_width(calls) > width):
            calls = _count_calls(self._phrases)
        return " · ".join(filter(None, [thought, calls]))

    def list_phrases(self) -> list[CallPhrase]:
        """Return what was read, in words."""
        return self._phrases

    def list_calls(self) -> list[str]:
        """Return every call, one line each, below the remark that led to it."""
        indent = "  " if self.remark else ""
        return [text if is_remark else f"{indent}{text}" for text, is_remark in self._lines]


def _name_calls(phrases: list[CallPhrase]) -> str:
    """Return the calls by name, one part a verb: those of one batch end in any order."""
    parts: dict[str, str] = {}
    for phrase in dict.fromkeys(phrases):
        if phrase.subject and phrase.verb in parts:
            first = parts[phrase.verb]
            parts[phrase.verb] = t("call.pair", first=first, second=phrase.subject)
        else:
            parts.setdefault(phrase.verb, f"{phrase.done} {phrase.subject}".strip())
    return " · ".join(parts.values())


def _count_calls(phrases: list[CallPhrase]) -> str:
    return join_counts(Counter(phrase.verb for phrase in dict.fromkeys(phrases)))


def join_counts(counts: Mapping[str, int]) -> str:
    """Return how many calls there were of each verb."""
    texts = [t(f"call.{verb}.count", count=count) for verb, count in counts.items()]
    text = reduce(lambda first, second: t("call.pair", first=first, second=second), texts)
    return text[:1].upper() + text[1:]
