"""How alike two lines are, and whether they can mean the same."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

LONGEST_COMPARED = 600
"""Characters of a line whose likeness is computed."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_STRING = re.compile(r"""(?<!\w)(["'`])(.*?)(?<!\\)\1""")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_SIGN = re.compile(r"[<>=!]=+|=>|->|<-|[<>!]|&&|\|\||[+*/%&|^~-]=?|(?<![=<>!])=(?!=)")

_TELLING = (
    "not no nor never none null nil without neither cannot isn aren don doesn didn won wouldn "
    "couldn shouldn hasn haven ain unless except and or true false yes on off is in"
)
"""Words whose absence or exchange makes another line of it."""
MISSPELLED = 0.85
"""How alike a word and its misspelling are."""


_TELLING_WORDS = frozenset(_TELLING.split())


def likeness(one: str, other: str) -> float:
    """From 0 to 1; lines that are too long, or of too different length, are not alike."""
    short, long = sorted((len(one), len(other)))
    if long > LONGEST_COMPARED or 2 * short < long:
        return 1.0 if one == other else 0.0
    from rapidfuzz.distance import Indel  # only the likeness strategies need it

    return Indel.normalized_similarity(one, other)


def same_facts(one: str, other: str) -> bool:
    """Whether numbers, negations, comparisons and other telling words agree."""
    return _facts(one) == _facts(other)


def _facts(line: str) -> Counter[str]:
    words = [word.lower() for word in _WORD.findall(line)]
    telling = [word for word in words if word in _TELLING_WORDS]
    return Counter([*telling, *_NUMBER.findall(line), *_SIGN.findall(line)])


def same_strings(asked: str, real: str) -> bool:
    """Whether what stands in quotes agrees, but for how it is spelled."""
    one = [text for _, text in _STRING.findall(asked)]
    other = [text for _, text in _STRING.findall(real)]
    return len(one) != len(other) or all(map(misspelled, one, other))


def knows(asked: str, real: str, new: str) -> bool:
    """Whether a new line is made of the real line, although it was asked for with other words.

    Where the two differ the new line has what is real; or a misspelled word that it changes.
    """
    base, other, made = (_TOKEN.findall(line) for line in (real, asked, new))
    kept = set[int]()
    for block in SequenceMatcher(None, base, made, autojunk=False).get_matching_blocks():
        kept.update(range(block.a, block.a + block.size))
    have, real_have = Counter(made), Counter(base)
    for kind, start, end, other_start, other_end in _differences(base, other):
        lost, wrong = base[start:end], other[other_start:other_end]
        if not re.search(r"\w", "".join([*lost, *wrong])):
            continue
        repeated = any(have[token] > real_have[token] for token in wrong)
        if kind == "insert" and repeated:
            return False
        if kind != "insert" and not kept.issuperset(range(start, end)):
            alike = likeness("".join(lost), "".join(wrong)) >= MISSPELLED
            if repeated or not alike:
                return False
    return True


def misspelled(asked: str, real: str) -> bool:
    """Whether two lines differ only in how a word or two are spelled, or in signs."""
    return all(
        likeness("".join(words), "".join(others)) >= MISSPELLED
        for words, others in _words_apart(asked, real)
    )


def _words_apart(asked: str, real: str) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    base, other = re.findall(r"\w+", asked), re.findall(r"\w+", real)
    for _, start, end, other_start, other_end in _differences(base, other):
        yield base[start:end], other[other_start:other_end]


def _differences(
    base: Sequence[str], other: Sequence[str]
) -> Iterator[tuple[str, int, int, int, int]]:
    codes = SequenceMatcher(None, base, other, autojunk=False).get_opcodes()
    return (code for code in codes if code[0] != "equal")
