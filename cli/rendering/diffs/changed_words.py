"""The words that differ between a removed line and the added line that stands for it."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

# Part of the text that must be equal: else the whole line is another one
MIN_RATIO = 0.45
# Characters of a line that is compared; a longer one is shown without lit words
MAX_LENGTH = 500
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

Span = tuple[int, int]


def find_changed_words(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return the spans that differ, in the old line and in the new one; none if nearly all do."""
    if max(len(old), len(new)) > MAX_LENGTH:
        return [], []
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    equal = sum(
        len("".join(old_words[block.a : block.a + block.size]).strip())
        for block in matcher.get_matching_blocks()
    )
    if 2 * equal < MIN_RATIO * (len(old.strip()) + len(new.strip())):
        return [], []
    return (
        _to_spans(old_words, [(begin, end) for _, begin, end, _, _ in codes]),
        _to_spans(new_words, [(begin, end) for _, _, _, begin, end in codes]),
    )


def _to_spans(words: Sequence[str], ranges: Sequence[Span]) -> list[Span]:
    """Return ranges of words as spans of characters."""
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return [(offsets[begin], offsets[end]) for begin, end in ranges if begin < end]
