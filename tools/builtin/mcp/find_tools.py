"""The tool `find_tools`: a search in what MCP servers offer."""

import asyncio
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ...definition import tool
from ...foreign_text import wrap_foreign_text
from ...mcp.definition import ToolDefinition
from ...mcp.errors import McpError
from ...mcp.mcp_access import McpAccess
from ...mcp.tool_text import describe_tool, remove_hidden
from ...result import CallResult, ToolError
from ...tool_run import Run

MAX_SHOWN = 5
# Seconds that a search waits for servers which were never asked before
MAX_WAIT_SECONDS = 10.0

# The usual parameters of BM25: how soon repetition stops counting, how much length counts
_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75
# A word of a name counts as often as this many of a description
_NAME_WEIGHT = 3
# Words of a description that count
_MAX_WORDS = 300
_WORD = re.compile(r"[^\W\d_]+|\d+")
# Scripts without spaces between words: each letter counts
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
# Endings of a Cyrillic word, which change with its case
_ENDINGS = "аеёиоуыэюяйь"


@tool("read")
async def find_tools(query: str, *, run: Run) -> CallResult:
    """Find tools of the MCP servers."""
    if run.mcp is None:
        raise ToolError("no MCP server is configured here")
    problems = await _ask_unknown(run.mcp)
    definitions_by_server = await asyncio.to_thread(run.mcp.read_known)
    tools = [
        definition
        for definitions in definitions_by_server.values()
        for definition in definitions.tools
    ]
    hits = search_tools(tools, query, MAX_SHOWN)
    descriptions = "\n\n".join(map(_format_tool, hits))
    answer = (
        wrap_foreign_text(descriptions, "MCP servers")
        if descriptions
        else "No tool fits these words."
    )
    return CallResult("\n".join([answer, *problems]), metadata={"tools": len(tools)})


async def _ask_unknown(access: McpAccess) -> list[str]:
    """Ask the servers that were never asked what they offer; return why some did not answer."""
    definitions_by_server = await asyncio.to_thread(access.read_known)
    unknown = [
        server for name, server in access.servers.items() if name not in definitions_by_server
    ]
    if not unknown:
        return []
    asked = {
        asyncio.create_task(access.get_connection(server).list_definitions()): server
        for server in unknown
    }
    try:
        done, late = await asyncio.wait(asked, timeout=MAX_WAIT_SECONDS)
    finally:
        for task in asked:
            task.cancel()
    problems = [f"The server `{asked[task].name}` does not answer yet." for task in late]
    errors = list[str]()
    for task in done:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, McpError):
            errors.append(remove_hidden(str(error)))  # it names the server
        elif isinstance(error, Exception):
            errors.append(
                f"The server `{asked[task].name}` cannot be asked: {remove_hidden(str(error))}"
            )
    if errors:  # in the servers' words
        problems.append(wrap_foreign_text("\n".join(sorted(errors)), "MCP servers"))
    return problems


def _format_tool(definition: ToolDefinition) -> str:
    schema = json.dumps(definition.schema, ensure_ascii=False)
    head = f"server_name: {definition.server}, tool_name: {definition.name}"
    return f"{head}\n{describe_tool(definition)}\narguments: {schema}"


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
    arguments = _split_words(" ".join(tool.schema.get("properties") or ()))
    terms = _split_words(tool.description)[:_MAX_WORDS]
    return [*names * _NAME_WEIGHT, *arguments, *terms]


def _split_words(text: str) -> list[str]:
    """Split into words in lower case without the English plural; also `camelCase`, `snake_case`."""
    return [_cut_ending(word.casefold()) for run in _WORD.findall(text) for word in _split_run(run)]


def _split_run(run: str) -> list[str]:
    """Split letters without a space at capitals, and between letters that are words."""
    starts = [0, *(at for at in range(1, len(run)) if _begins_word(run, at)), len(run)]
    return [run[start:end] for start, end in pairwise(starts)]


def _begins_word(run: str, at: int) -> bool:
    before, letter, after = run[at - 1], run[at], run[at + 1 : at + 2]
    if _UNSPACED.match(letter) or _UNSPACED.match(before):
        return True
    return letter.isupper() and (before.islower() or after.islower())


def _cut_ending(word: str) -> str:
    if len(word) > 3 and word.endswith("s"):
        return word[:-1]
    return word.rstrip(_ENDINGS) or word if len(word) > 4 else word
