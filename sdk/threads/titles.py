"""A conversation's title, made by the model once; without one it is the request's first line.

Only for conversations at a terminal: a run without one spends nothing that nobody asked for.
"""

import asyncio
from dataclasses import replace
from pathlib import Path

from langchain_core.messages import BaseMessage, HumanMessage

from ...config.errors import MaxAgentError, UsageError
from ...config.security.redaction import redacted
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import ThreadRow, title_of
from ...models.errors import ModelFailure
from ...models.factory import close_model, open_model
from ...models.invoke import ask
from ...models.resolver import ResolvedModel
from ...nodes.agent.dependencies import workbench
from ...nodes.context import Context
from ..tracing import untraced

ASKED = (
    "Name this conversation in its own language: at most six words that tell it from others, "
    "no quotes, no full stop. Answer with the name alone.\n\n<user>\n{message}\n</user>\n\n"
    "<assistant>\n{answer}\n</assistant>"
)
READ = 1_000
"""Characters of the message and of the answer that the model is shown."""
MOST_TOKENS = 200
"""A name takes ten; models that think need some more."""
SECONDS = 20.0


async def entitle(home: Path, thread_id: str, answer: str) -> str:
    """Name a conversation after its first turn; the title, empty where the old one stays.

    It stays where the user has named the thread, has switched titles off, or the model fails.
    """
    try:
        return await _entitle(home, thread_id, answer)
    except MaxAgentError:  # it was deleted meanwhile, the database is locked: nothing is lost
        return ""


async def _entitle(home: Path, thread_id: str, answer: str) -> str:
    threads = ThreadIndex(home)
    row = await asyncio.to_thread(threads.get, thread_id)
    bench = await workbench(row.folder, row.options, Context(home=str(home)))
    if not (bench.settings.threads.titles and _has_none(row)):
        return ""
    title = await make_title(bench.model, row.request, answer)
    if title:
        await asyncio.to_thread(threads.entitle, thread_id, title)
    return title


async def make_title(model: ResolvedModel, message: str, answer: str) -> str:
    """What the model calls it; empty where it fails. One request, without tools."""
    text = ASKED.format(message=message[:READ], answer=answer[:READ])
    try:
        async with asyncio.timeout(SECONDS):
            return _cleaned(await _asked(model, [HumanMessage(text)]))
    except (ModelFailure, UsageError, TimeoutError):
        return ""


async def _asked(model: ResolvedModel, messages: list[BaseMessage]) -> str:
    chat_model = open_model(replace(model, max_tokens=MOST_TOKENS), role="title")
    try:
        with untraced():
            said = await ask(chat_model, messages, on_text=_unheard, on_thinking=_unheard)
    finally:
        await close_model(chat_model)
    return str(said.text)


def _unheard(text: str) -> None:
    """Nobody watches how it is made."""


def _has_none(row: ThreadRow) -> bool:
    return row.graph == "chat" and not row.name and row.title == title_of(row.request)


def _cleaned(text: str) -> str:
    """One line of it, without a secret and what models put around a name."""
    first = redacted(text).strip().partition("\n")[0]
    name = "".join(letter for letter in first if letter.isprintable()).strip("#*\"'`“”「」《》 .。")
    return title_of(name) if name else ""
