"""The forms of keys, as data: gitleaks' rules and ours. Each is compiled when its keyword occurs.

Where a rule looks: most in the long words with digits that hold their keyword (`find_long_words`),
some in the line before such a word, since a name must precede the secret, few in the whole text.
"""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

# Words of which one is in each name of a secret, in small letters
NAME_WORDS = (b"pass", b"pwd", b"secret", b"token", b"key", b"auth", b"credential")
DATA = ("own_rules.json", "gitleaks_rules.json")
# Characters of a word that may hold a key; keys without digits have rules for the whole text
MIN_WORD_LENGTH = 16
# Characters before a long word in which a name may say what it is
MAX_LEAD = 100
# Bytes of a keyword's beginning: those of a number in memory
GRAM_LENGTH = 4
# In place of the beginning of a keyword that is shorter
NO_GRAM = -1
# Characters of a line around a keyword for rules of the whole text
MAX_BEFORE, MAX_AFTER = 400, 800
_WORD_CHARACTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-.+/=~:%@#$!*^|")
# `a` for a character of a word, ` ` for what ends it
_CLASSES = bytes(97 if byte in _WORD_CHARACTERS else 32 for byte in range(256))
_LONG_WORD = b"a" * MIN_WORD_LENGTH
_DIGIT = re.compile(rb"[0-9]")
# Before a key, which begins a word or follows an escape: `\n`, `%3D`, a color
_BEGIN = re.compile(r"(?:^|(?<![A-Za-z0-9])|\\[nrt]|%[0-9A-F]{2}|\dm)\Z")
# What may stand between a name and its secret
_LINK = r"[ \t\w.-]{0,20}[ \t'\"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'\" \t=]{0,5}"
# A number after these is of a file, not of a service
_DIGEST = re.compile(r"(?i)sha\d|md5|integrity|checksum|digest|hash|commit|revision")


class Span(NamedTuple):
    """A part of a text."""

    start: int
    end: int


class SecretRule(NamedTuple):
    """A form of keys."""

    name: str
    keywords: tuple[str, ...]
    """One of them is in every text that has such a key, in small letters."""
    regex: str
    context: str
    """The name that must stand before the secret, if any."""
    entropy: float
    """Fewest bits a character of the secret."""
    scope: str
    """Where it is searched: `word`, `line` or `text`."""
    check: str
    """What else a secret must be: a name in `plausibility.CHECKS`."""

    def find(self, text: str, span: Span) -> Iterator[Span]:
        """Yield the secrets of this form in a part of the text."""
        pattern = _compile(self)
        at = span.start
        while match := pattern.search(text, at, span.end):
            start, end = match.span(1 if pattern.groups else 0)
            if self._accepts(text, match.start(), start, end):
                yield Span(start, end)
                at = max(end, match.end())
            else:
                at = match.start() + 1

    def _accepts(self, text: str, begin: int, start: int, end: int) -> bool:
        from .plausibility import CHECKS, compute_entropy  # compiles much: few texts come here

        secret = text[start:end]
        if self.scope == "word" and not _BEGIN.search(text, max(0, begin - 3), begin):
            return False
        if self.check and not CHECKS[self.check](secret):
            return False
        if self.entropy and compute_entropy(secret) < self.entropy:
            return False
        if not self.context:
            return True
        digits = sum(character.isdigit() for character in secret)
        is_of_file = _DIGEST.search(text[begin:start])
        return digits > 1 and not is_of_file and compute_entropy(secret) > 2.8


def holds_name_word(lowered: bytes) -> bool:
    """Return whether a text in small ASCII letters holds a word of `NAME_WORDS`."""
    return any(map(lowered.__contains__, NAME_WORDS))


@cache
def _compile(rule: SecretRule) -> re.Pattern[str]:
    if rule.context:
        return re.compile(f"(?i:{rule.context}){_LINK}({rule.regex})", re.ASCII)
    return re.compile(rule.regex, re.ASCII)


@cache
def load_rules() -> tuple[SecretRule, ...]:
    """Return all rules, ours first: of two that find the same, the first names it."""
    rows = [row for name in DATA for row in read_data(name)["rules"]]
    return tuple(_parse_rule(row) for row in rows)


def read_data(name: str) -> dict[str, Any]:
    """Return a file of rules."""
    return json.loads(Path(__file__).with_name(name).read_text("utf-8"))


def _parse_rule(row: dict[str, Any]) -> SecretRule:
    context = row.get("context", "")
    scope = row.get("scope", "line" if context else "word")
    keywords = tuple(row["keywords"])
    return SecretRule(
        row["name"],
        keywords,
        row["regex"],
        context,
        row.get("entropy", 0),
        scope,
        row.get("check", ""),
    )


@cache
def group_by_keyword(scope: str) -> dict[bytes, tuple[SecretRule, ...]]:
    """Return the rules of a scope by their keywords."""
    grouped = dict[bytes, list[SecretRule]]()
    for rule in load_rules():
        for keyword in rule.keywords if rule.scope == scope else ():
            grouped.setdefault(keyword.encode(), []).append(rule)
    return {keyword: tuple(rules) for keyword, rules in grouped.items()}


def find_by_rules(text: str, lowered: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the name, start and end of each secret of a known form.

    `lowered` is the text in small ASCII letters, each character one byte.
    """
    for keyword, rules in group_by_keyword("text").items():
        if keyword in lowered:
            yield from _find_in_spans(text, rules, find_lines(lowered, keyword))
    if words := find_long_words(lowered):
        yield from _find_in_words(text, lowered, words, "word")
        yield from _find_in_words(text, lowered, _add_leads(words), "line")


def _add_leads(words: list[Span]) -> list[Span]:
    """Return the words with what stands before each; no two overlap."""
    spans = list[Span]()
    for word in words:
        start = max(0, word.start - MAX_LEAD)
        if spans and start <= spans[-1].end:
            start = spans.pop().start
        spans.append(Span(start, word.end))
    return spans


def _find_in_words(
    text: str, lowered: bytes, spans: list[Span], scope: str
) -> Iterator[tuple[str, int, int]]:
    searched = b"\n".join(lowered[span.start : span.end] for span in spans)
    for keyword in _find_keywords(searched, scope):
        holding = [span for span in spans if keyword in lowered[span.start : span.end]]
        yield from _find_in_spans(text, group_by_keyword(scope)[keyword], holding)


def _find_keywords(searched: bytes, scope: str) -> list[bytes]:
    """Return the keywords of a scope that are in a text, in their order."""
    # two hundred searches take longer than one look at the four bytes from each place
    grouped = _group_by_beginning(scope)
    grams = {NO_GRAM}
    for offset in range(min(GRAM_LENGTH, len(searched))):
        end = len(searched) - (len(searched) - offset) % GRAM_LENGTH
        grams |= grouped.keys() & memoryview(searched)[offset:end].cast("I")
    entries = [entry for gram in grams for entry in grouped.get(gram, ())]
    return [keyword for _, keyword in sorted(entries) if keyword in searched]


@cache
def _group_by_beginning(scope: str) -> dict[int, list[tuple[int, bytes]]]:
    """Return the numbered keywords of a scope by their first bytes as a number."""
    grouped = dict[int, list[tuple[int, bytes]]]()
    for number, keyword in enumerate(group_by_keyword(scope)):
        is_short = len(keyword) < GRAM_LENGTH
        gram = NO_GRAM if is_short else int.from_bytes(keyword[:GRAM_LENGTH], sys.byteorder)
        grouped.setdefault(gram, []).append((number, keyword))
    return grouped


def find_long_words(lowered: bytes) -> list[Span]:
    """Return the words that are long enough for a key and have a digit."""
    spans, classes = list[Span](), lowered.translate(_CLASSES)
    start = classes.find(_LONG_WORD)
    while start >= 0:
        end = classes.find(b" ", start)
        end = end if end >= 0 else len(classes)
        if _DIGIT.search(lowered, start, end):
            spans.append(Span(start, end))
        start = classes.find(_LONG_WORD, end)
    return spans


def find_lines(lowered: bytes, keyword: bytes) -> list[Span]:
    """Return the lines that hold a keyword, of a long line what is near it; no two overlap."""
    spans, hit = list[Span](), lowered.find(keyword)
    while hit >= 0:
        start = max(lowered.rfind(b"\n", max(0, hit - MAX_BEFORE), hit) + 1, hit - MAX_BEFORE, 0)
        end = lowered.find(b"\n", hit, hit + MAX_AFTER)
        end = end if end >= 0 else min(hit + MAX_AFTER, len(lowered))
        if spans and start < spans[-1].end:
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
        hit = lowered.find(keyword, hit + len(keyword))
    return spans


def _find_in_spans(
    text: str, rules: tuple[SecretRule, ...], spans: list[Span]
) -> Iterator[tuple[str, int, int]]:
    for rule in rules:
        for span in spans:
            for found in rule.find(text, span):
                yield rule.name, found.start, found.end
