"""Removal of cards from an exported thread: they are the user's memory, not part of the talk."""

import re

# As the context message, notes beside a message and the tools of notes show them
_LINE = re.compile(
    r"^(- |\d+\. )\[[^\]\n]+\] .*"
    r"\((?:card )?[0-9a-f-]{8}, [^()\n]*by the (?:user|model)[^()\n]*\)$",
    re.MULTILINE,
)
LEFT_OUT = "[a card of the memory: not exported]"


def remove_cards(text: str) -> str:
    """Return the text without the cards that a model was shown in it."""
    return _LINE.sub(rf"\1{LEFT_OUT}", text) if "by the " in text else text
