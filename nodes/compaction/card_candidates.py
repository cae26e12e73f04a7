"""Cards that a summary proposes: its last lines, which are no part of the note."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ...memory.cards.card import CARD_TYPES, CardType
from ..memory.proposals import Candidate

_HEADING = re.compile(r"(?m)^[#*`\s]*CARDS[*`:\s]*$")
_ITEM = re.compile(r"\s*[-*]\s+[*`]*(?P<type>[a-z]+)[*`]*\s*[:：]\s*[*`]*\s*(?P<content>\S.*)")


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
