"""Similarity of lines, and whether they can mean the same."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

# characters of a line whose likeness is computed
MAX_COMPARED_LENGTH = 600

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_NAME = re.compile(r"\w+")
_PART = re.compile(rf"{_WORD.pattern}|\d+")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_STRING = re.compile(r"""(?<!\w)(["'`])(.*?)(?<!\\)\1""")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_SIGN = re.compile(r"[<>=!]=+|=>|->|<-|[<>!]|&&|\|\||[+*/%&|^~-]=?|(?<![=<>!])=(?!=)")
# a comment behind code: a `//` that begins none divides, and a `--` takes one away
_COMMENT = re.compile(r"(?:(?<=[;{},])|(?<=\*/)) (?://|-- ).*| # .*| /\*.*\*/")
_COMMENT_LINE = re.compile(r"(?://|/\*|#).* //.*")

# words whose absence or exchange makes another line of it
_TELLING = (
    "not no nor never none null nil without neither cannot isn aren don doesn didn won wouldn "
    "couldn shouldn hasn haven ain unless except and or true false yes on off is in"
)
# how alike a word and its misspelling are
MISSPELLED = 0.85
# the same of a part of a name, which is short; its first letter is right
MISSPELLED_PART = 0.70


_TELLING_WORDS = frozenset(_TELLING.split())


def measure_similarity(left: str, right: str) -> float:
    """Measure from 0 to 1; very long lines, or of very different length, are not similar."""
    short, long = sorted((len(left), len(right)))
    if long > MAX_COMPARED_LENGTH or 2 * short < long:
        return 1.0 if left == right else 0.0
    from rapidfuzz.distance import Indel  # only the likeness strategies need it

    return Indel.normalized_similarity(left, right)


def has_same_facts(left: str, right: str) -> bool:
    """Return whether numbers, negations, comparisons and other telling words agree."""
    return _extract_facts(left) == _extract_facts(right)


def _extract_facts(line: str) -> Counter[str]:
    words = [word.lower() for word in _WORD.findall(line)]
    telling = [word for word in words if word in _TELLING_WORDS]
    return Counter([*telling, *_NUMBER.findall(line), *_SIGN.findall(line)])


def differs_in_comment(left: str, right: str) -> bool:
    """Return whether one normalized line is the other one with a comment behind it."""
    short, long = sorted((left, right), key=len)
    return long.startswith(short) and bool(
        _COMMENT.fullmatch(long, len(short))
        or (_COMMENT_LINE.fullmatch(long) and long.startswith(" //", len(short)))
    )


def has_same_strings(asked: str, real: str) -> bool:
    """Return whether quoted strings agree, apart from misspellings."""
    asked_texts = [text for _, text in _STRING.findall(asked)]
    real_texts = [text for _, text in _STRING.findall(real)]
    return len(asked_texts) != len(real_texts) or all(map(is_misspelling, asked_texts, real_texts))


def is_made_of_real(asked: str, real: str, new: str) -> bool:
    """Return whether the new line is based on the real line, although the request misremembers it.

    Where asked and real line differ, the new line has the real words, or replaces them.
    """
    base, other, made = (_TOKEN.findall(line) for line in (real, asked, new))
    kept_positions = set[int]()
    for block in SequenceMatcher(None, base, made, autojunk=False).get_matching_blocks():
        kept_positions.update(range(block.a, block.a + block.size))
    have, real_have = Counter(made), Counter(base)
    for kind, start, end, other_start, other_end in _diff_tokens(base, other):
        missing, wrong = base[start:end], other[other_start:other_end]
        if not re.search(r"\w", "".join([*missing, *wrong])):
            continue
        is_dropped = kind != "insert" and not kept_positions.issuperset(range(start, end))
        repeated = any(have[token] > real_have[token] for token in wrong)
        if repeated or (is_dropped and not is_misspelling(" ".join(wrong), " ".join(missing))):
            return False
    return True


def is_misspelling(asked: str, real: str) -> bool:
    """Return whether two lines differ only in the spelling of words, or in punctuation."""
    # a name with another part is another name: `on_close_event` is not `on_open_event` misspelled,
    # but a missing or additional part may be a slip
    return all(
        measure_similarity(left, right) >= MISSPELLED
        for left, right in _iter_differences(_NAME, asked, real)
    ) and all(
        left[0].lower() == right[0].lower() and measure_similarity(left, right) >= MISSPELLED_PART
        for left, right in _iter_differences(_PART, asked, real)
        if left and right
    )


def _iter_differences(pattern: re.Pattern[str], asked: str, real: str) -> Iterator[tuple[str, str]]:
    """Yield the words, or parts of words, in which two lines differ."""
    base, other = pattern.findall(asked), pattern.findall(real)
    for _, start, end, other_start, other_end in _diff_tokens(base, other):
        yield "".join(base[start:end]), "".join(other[other_start:other_end])


def _diff_tokens(
    base: Sequence[str], other: Sequence[str]
) -> Iterator[tuple[str, int, int, int, int]]:
    codes = SequenceMatcher(None, base, other, autojunk=False).get_opcodes()
    return (code for code in codes if code[0] != "equal")
