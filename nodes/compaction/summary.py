"""The summary that a model writes of its conversation, and the check of it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from langchain_core.messages import HumanMessage

from ...config.text import text
from ...models.invoke import is_cut
from ..conversation.token_estimate import estimate_text
from ..memory.proposals import Candidate
from ..turn.side_request import TOLERANCE, SideAnswer
from .card_candidates import load_card_request, split_candidates

FOCUS = "\n\nThe user asks you to keep this above all: {focus}"
# Words that a token makes, roughly, in the languages with more tokens
WORDS_PER_TOKEN = 0.6


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
