"""The types of cards, as a choice on the command line."""

from enum import StrEnum


class CardTypeName(StrEnum):
    """The same as `CardType` in `memory/cards/card.py`."""

    goal = "goal"
    decision = "decision"
    constraint = "constraint"
    todo = "todo"
    code = "code"
    fact = "fact"
    preference = "preference"
