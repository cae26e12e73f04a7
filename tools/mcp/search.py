"""Search in the tools of servers by words (BM25), for a model that is not offered them all."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from .definition import ToolDefinition

# The usual parameters of BM25: how soon repetition stops counting, how much length counts
_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75
# A word of a name counts as often as this many of a description
_NAME_WEIGHT = 3
# Words of a description that count
_MAX_WORDS = 300
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]")


def search_tools(tools: Sequence[ToolDefinition], query: str, limit: int) -> list[ToolDefinition]:
    """Return the tools that fit the words best; those whose name is the query come first."""
    query_words = set(_split_words(query))
    documents = [Counter(_split_tool(tool)) for tool in tools]
    average = sum(document.total() for document in documents) / len(documents) if documents else 0
    frequencies = Counter(word for document in documents for word in document)
    scores = [
        _score(document, query_words, frequencies, len(documents), average)
        for document in documents
    ]
    exact = query.strip().casefold()
    ranked = sorted(
        (-(tool.name.casefold() == exact), -score, tool.server, tool.name, at)
        for at, (tool, score) in enumerate(zip(tools, scores, strict=True))
        if score > 0 or tool.name.casefold() == exact or tool.server.casefold() == exact
    )
    return [tools[at] for *_, at in ranked[:limit]]


def _score(
    document: Counter[str],
    query_words: set[str],
    frequencies: Counter[str],
    total: int,
    average: float,
) -> float:
    score = 0.0
    for word in query_words & document.keys():
        rarity = math.log(1 + (total - frequencies[word] + 0.5) / (frequencies[word] + 0.5))
        length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * document.total() / average
        count = document[word]
        score += rarity * count * (_SATURATION + 1) / (count + _SATURATION * length)
    return score


def _split_tool(tool: ToolDefinition) -> list[str]:
    names = _split_words(f"{tool.server} {tool.name} {tool.title}")
    arguments = _split_words(" ".join(tool.schema.get("properties", {})))
    words = _split_words(tool.description)[:_MAX_WORDS]
    return [*names * _NAME_WEIGHT, *arguments, *words]


def _split_words(text: str) -> list[str]:
    """Split into words in lower case without the English plural; also `camelCase`, `snake_case`."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]
