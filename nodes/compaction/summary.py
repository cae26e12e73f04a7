"""The summary that a model writes of its conversation, and the check of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from langchain_core.messages import HumanMessage

from ...config.text import text
from ...memory.cards.card import CARD_TYPES, CardType
from ...models.invoke import is_cut
from ..cards.proposals import Candidate
from ..conversation.token_estimate import estimate_text
from ..turn.side_request import TOLERANCE, SideAnswer

_HEADING = re.compile(r"(?m)^[#*`\s]*CARDS[*`:\s]*$")
_ITEM = re.compile(r"\s*[-*]\s+[*`]*(?P<type>[a-z]+)[*`]*\s*[:：]\s*[*`]*\s*(?P<content>\S.*)")
FOCUS = "\n\nThe user asks you to keep this above all: {focus}"
# Words that a token makes, roughly, in the languages with more tokens
WORDS_PER_TOKEN = 0.6


@cache
def load_card_request() -> str:
    """Return what the request for a summary says about cards."""
    return Path(__file__).with_name("cards.md").read_text(encoding="utf-8").strip()


def split_candidates(answer: str) -> tuple[str, list[Candidate]]:
    """Return the note without its last section, and the cards that the section names."""
    headings = [*_HEADING.finditer(answer)]
    if not headings:
        return answer.strip(), []
    last = headings[-1]
    return answer[: last.start()].strip(), [*_parse_items(answer[last.end() :])]


def _parse_items(section: str) -> Iterator[Candidate]:
    types: dict[str, CardType] = {name: name for name in CARD_TYPES}
    for line in section.splitlines():
        if (item := _ITEM.fullmatch(line)) and (kind := types.get(item["type"])):
            yield Candidate(item["content"].strip(), kind)


@dataclass(frozen=True)
class WrittenSummary(SideAnswer):
    """A model's answer to the request for a summary."""

    @property
    def text(self) -> str:
        """Return the note."""
        return split_candidates(str(self.message.text))[0]

    @property
    def candidates(self) -> list[Candidate]:
        """Return the cards that it proposes."""
        return split_candidates(str(self.message.text))[1]

    def find_flaw(self, tokens: int) -> str:
        """Return why it is no summary of about so many tokens; empty if it is one."""
        answer = self.message
        if answer.tool_calls or answer.invalid_tool_calls:
            return text("it calls a tool")
        if not self.text:
            return text("it is empty")
        if is_cut(answer):
            return text("it was cut")
        if estimate_text(self.text) > tokens * TOLERANCE:
            return text("it is too long")
        return ""


def build_instruction(tokens: int, focus: str = "", *, with_cards: bool = False) -> HumanMessage:
    """Return the last message of the request for a summary, and for cards in the same answer."""
    words = _load_prompt().replace("{words}", str(round(tokens * WORDS_PER_TOKEN)))
    if focus:
        words += FOCUS.replace("{focus}", focus)
    if with_cards:
        words += f"\n\n{load_card_request()}"
    return HumanMessage(words, additional_kwargs={"synthetic": True})


@cache
def _load_prompt() -> str:
    return Path(__file__).with_name("summary.md").read_text(encoding="utf-8").strip()
