"""Titles of conversations: the model makes one once; the default is the request's first line.

Only for conversations at a terminal: other runs spend nothing that the user did not ask for.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable

from ...config.errors import MaxAgentError, UsageError
from ...config.security.redaction import redact
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import ThreadRow, build_title
from ...models.errors import ModelCallError
from ...models.resolver import ResolvedModel
from ...nodes.options import Options
from ...nodes.run.dependencies import Dependencies
from ..single_request import ask_once

# `Runner.open_dependencies`
OpenDependencies = Callable[[str, Options], Awaitable[Dependencies]]

TITLE_PROMPT = (
    "Name this conversation in its own language: at most six words that tell it from others, "
    "no quotes, no full stop. Answer with the name alone.\n\n<user>\n{message}\n</user>\n\n"
    "<assistant>\n{answer}\n</assistant>"
)
# Characters of the message and of the answer that are sent to the model
MAX_CHARACTERS = 1_000
# A title takes ten; models with thinking need some more
MAX_TOKENS = 200
TIMEOUT_SECONDS = 20.0


async def generate_title(
    threads: ThreadIndex, open_dependencies: OpenDependencies, thread_id: str, answer: str
) -> str:
    """Name a conversation after its first turn; return the title, empty if the old one stays.

    It stays if the user has named the thread or disabled titles, or the model fails.
    """
    try:
        return await _generate_title(threads, open_dependencies, thread_id, answer)
    except MaxAgentError:  # deleted meanwhile, or locked: nothing is lost
        return ""


async def _generate_title(
    threads: ThreadIndex, open_dependencies: OpenDependencies, thread_id: str, answer: str
) -> str:
    row = await asyncio.to_thread(threads.get, thread_id)
    deps = await open_dependencies(row.folder, row.options)
    if not (deps.settings.threads.titles and _needs_title(row)):
        return ""
    title = await make_title(deps.model, row.request, answer)
    if title:
        await asyncio.to_thread(threads.set_title, thread_id, title)
    return title


async def make_title(model: ResolvedModel, message: str, answer: str) -> str:
    """Return the model's title; empty on failure. One request, without tools."""
    text = TITLE_PROMPT.format(message=message[:MAX_CHARACTERS], answer=answer[:MAX_CHARACTERS])
    try:
        answer = await ask_once(
            model, text, role="title", max_tokens=MAX_TOKENS, seconds=TIMEOUT_SECONDS
        )
    except (ModelCallError, UsageError, TimeoutError):
        return ""
    return _clean_title(answer)


# What models put around a title
_HEADING = re.compile(r"^#+\s+")
_QUOTES = ('""', "''", "``", "“”", "‘’", "「」", "『』", "《》")


def _needs_title(row: ThreadRow) -> bool:
    return row.graph == "chat" and not row.name and row.title == build_title(row.request)


def _clean_title(text: str) -> str:
    """Return one line of it, without secrets and the quotes or labels that models add."""
    first = redact(text).strip().partition("\n")[0]
    name = "".join(letter for letter in first if letter.isprintable())
    before, name = "", _HEADING.sub("", name.strip())
    while before != name:
        before, name = name, _unwrap(name).strip("* ").rstrip(" .。")
    return build_title(name)


def _unwrap(name: str) -> str:
    """Return a name without the pair of quotes around it, or the one whose partner is missing."""
    for opening, closing in _QUOTES:
        inside = name.removeprefix(opening).removesuffix(closing)
        is_around = len(name) - len(inside) == 2 and not {opening, closing}.intersection(inside)
        is_alone = name.count(opening) + (opening != closing) * name.count(closing) == 1
        if is_around or (is_alone and len(inside) < len(name)):
            return inside.strip()
    return name
