"""Translation of messages stored as plain strings, by the templates that match them.

Three kinds need it: what a thread keeps (reasons of questions, denials, results of tests), what the
model reads and the terminal shows from there (errors of tools), and usage errors of click. Any
other message carries its template: `message_translation.py`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import pairwise
from string import Formatter

from ...config.text import TemplatedText
from .catalogs import get_language, load_catalog, t
from .message_translation import load_exact_messages, translate

# Separators with which lower layers join sentences
_GLUE = {". ": "。", "; ": "；", ": ": "：", ", and ": "，"}
_GLUED = re.compile("|".join(map(re.escape, _GLUE)))
_JOINS = re.compile(rf"\{{first\}}({_GLUED.pattern})\{{rest\}}")
MAX_PARTS = 20
# How many tests have passed and failed, as test frameworks and the graph's own runs say it
_COUNT = r"(\d+) (passed|failed|failures?|errors?|skipped)"
_COUNTS = re.compile(rf"{_COUNT}(?:, {_COUNT})*")


def translate_stored(message: str) -> str:
    """Return the message in the language of the interface; in English if no template matches."""
    if get_language() == "en" or not message:
        return message
    if isinstance(message, TemplatedText):
        return translate(message)
    return _find_translation(message) or message


@dataclass(frozen=True)
class _Template:
    """A sentence with placeholders for values."""

    names: tuple[str, ...]
    literals: tuple[str, ...]
    """Text before, between and after the values."""
    meaning: str

    def match_values(self, sentence: str) -> Mapping[str, str] | None:
        """Return the values if it matches; a value ends where the next literal first occurs."""
        first, *between = self.literals
        if not sentence.startswith(first):
            return None
        if not between:
            return {} if sentence == first else None
        last, place = between.pop(), len(first)
        end = len(sentence) - len(last)
        if end < place or not sentence.endswith(last):
            return None
        values: list[str] = []
        for literal in between:
            position = sentence.find(literal, place, end)
            if position < 0:
                return None
            values.append(sentence[place:position])
            place = position + len(literal)
        return dict(zip(self.names, [*values, sentence[place:end]], strict=True))

    def format_translation(self, values: Mapping[str, str]) -> str:
        """Fill in the values; a quoted value is a name and stays, others may be translated."""
        around = zip(self.names, pairwise(self.literals), strict=True)
        quoted = {name for name, (a, b) in around if a.endswith("`") and b.startswith("`")}
        translated = {
            name: value if name in quoted else translate_stored(value)
            for name, value in values.items()
        }
        return self.meaning.format(**translated)


def _find_translation(sentence: str) -> str:
    """Translate a sentence; return an empty string if no part of it is known."""
    if meaning := _translate_sentence(sentence):
        return meaning
    if _COUNTS.fullmatch(sentence):
        counts = [t(f"counts.{word}", count=count) for count, word in re.findall(_COUNT, sentence)]
        return reduce(lambda first, second: t("call.pair", first=first, second=second), counts)
    if "\n" in sentence:
        return "\n".join(_translate_line(line) for line in sentence.split("\n"))
    places = list(_GLUED.finditer(sentence))
    return _translate_compound(sentence, places) if len(places) <= MAX_PARTS else ""


def _translate_sentence(sentence: str) -> str:
    """Translate a sentence as a whole."""
    if meaning := load_exact_messages(get_language()).get(sentence):
        return meaning
    for template in _load_templates(get_language()):
        if (values := template.match_values(sentence)) is not None:
            return template.format_translation(values)
    return ""


def _translate_line(line: str) -> str:
    words = line.lstrip()
    return line[: len(line) - len(words)] + translate_stored(words)


def _translate_compound(sentence: str, places: Sequence[re.Match[str]]) -> str:
    """Translate joined sentences, of which at least one is known."""
    for place in places:
        if first := _translate_sentence(sentence[: place.start()]):
            return first + _GLUE[place[0]] + translate_stored(sentence[place.end() :])
    for place in places[:1]:  # a name may precede the known part; `file:3: ` stays as it is
        if rest := _find_translation(sentence[place.end() :]):
            glue = place[0] if place[0] == ": " else _GLUE[place[0]]
            return sentence[: place.start()] + glue + rest
    return ""


@cache
def _load_templates(language: str) -> list[_Template]:
    """Return the templates with values, those with the most literal text first."""
    # a template that only joins sentences would match everything
    templates = [
        _parse_template(text, meaning)
        for text, meaning in load_catalog("messages", language).list_messages().items()
        if any(_find_placeholders(text)) and not _JOINS.fullmatch(text)
    ]
    return sorted(templates, key=lambda template: -len("".join(template.literals)))


def _find_placeholders(text: str) -> Iterator[str]:
    return (name for _, name, _, _ in Formatter().parse(text) if name is not None)


def _parse_template(text: str, meaning: str) -> _Template:
    literals = [""]
    for literal, name, _, _ in Formatter().parse(text):
        literals[-1] += literal
        if name is not None:
            literals.append("")
    return _Template(tuple(_find_placeholders(text)), tuple(literals), meaning)
