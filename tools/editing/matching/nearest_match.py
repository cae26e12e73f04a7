"""Nearest match of a text that is not in the file."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from .document import TextDocument
from .line_similarity import MAX_COMPARED_LENGTH
from .normalization import normalize_line

FREQUENT_LINE = 200
# a word in more places than this does not show where a text belongs
FREQUENT_WORD = 30
WORD_WEIGHT = 0.2
# lines by which votes for one place may be apart
SPREAD = 3
NEARLY = 0.9
# most places in an error, and how near to the best their votes must be
MAX_PLACES = 5
MAX_ASKED = 200
MIN_SIMILARITY = 60

_WORD = re.compile(r"\w{3,}")

Votes = defaultdict[int, float]


def find_nearest(source: TextDocument, old_lines: Sequence[str]) -> list[int]:
    """Find the lines, from 0, at which `old_lines` most likely begin, the likeliest first."""
    # every old line and word that is in the file votes, rare ones with more weight; without
    # votes the line most similar to the longest old one decides
    old_lines = old_lines[:MAX_ASKED]
    votes: Votes = defaultdict(float)
    lines = (
        (offset, [normalize_line(line)] if line.strip() else [])
        for offset, line in enumerate(old_lines)
    )
    keys = ((number, [key]) for number, key in enumerate(source.normalize_lines(normalize_line)))
    _add_votes(votes, lines, keys, FREQUENT_LINE, 1.0)
    words = ((offset, _WORD.findall(line)) for offset, line in enumerate(old_lines))
    real = ((number, _WORD.findall(line)) for number, line in enumerate(source.lines))
    _add_votes(votes, words, real, FREQUENT_WORD, WORD_WEIGHT)
    return _rank_places(votes) if votes else _find_most_similar(source, old_lines)


def _add_votes(
    votes: Votes,
    asked: Iterable[tuple[int, Sequence[str]]],
    real: Iterable[tuple[int, Sequence[str]]],
    frequent: int,
    weight: float,
) -> None:
    """Let each line or word vote for the place where the request would then begin."""
    offsets, places = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for offset, keys in asked:
        for key in keys:
            offsets[key].append(offset)
    for number, keys in real:
        for key in keys:
            if key in offsets:
                places[key].append(number)
    for key, numbers in places.items():
        if len(numbers) * len(offsets[key]) <= frequent:
            for number in numbers:
                for offset in offsets[key]:
                    votes[max(number - offset, 0)] += weight / len(numbers) / len(offsets[key])


def _rank_places(votes: Votes) -> list[int]:
    """Rank places by their votes; of places near each other keep the best."""
    around = {
        start: sum(votes.get(start + step, 0) for step in range(-SPREAD, SPREAD + 1))
        for start in votes
    }
    most, chosen = max(around.values()), list[int]()
    for start in sorted(votes, key=lambda start: (-around[start], -votes[start], start)):
        if around[start] < NEARLY * most or len(chosen) == MAX_PLACES:
            break
        if all(abs(start - other) > SPREAD for other in chosen):
            near = [place for place in votes if abs(place - start) <= SPREAD]
            chosen.append(max(near, key=lambda place: (votes[place], -place)))
    return chosen


def _find_most_similar(source: TextDocument, old_lines: Sequence[str]) -> list[int]:
    from rapidfuzz import fuzz, process  # dozens of modules that only a refusal needs

    offset, longest = max(
        enumerate(old_lines), key=lambda pair: len(pair[1].strip()), default=(0, "")
    )
    if not longest.strip() or len(longest) > MAX_COMPARED_LENGTH:
        return []
    keys = source.normalize_lines(normalize_line)
    lines = [line.casefold() if len(line) <= MAX_COMPARED_LENGTH else "" for line in keys]
    asked = normalize_line(longest).casefold()
    best_match = process.extractOne(asked, lines, scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY)
    return [max(best_match[2] - offset, 0)] if best_match else []
