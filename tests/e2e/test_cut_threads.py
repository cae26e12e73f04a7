"""Threads with a cut: every reader shows all of them, every copy sends the same view."""

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from conversations import build_cut
from langgraph.types import Command
from provider import Provider

from maxagent import Runner, trust
from maxagent.config import paths
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow
from maxagent.nodes.conversation.cut import Cut
from maxagent.nodes.conversation.view import LABEL
from maxagent.nodes.run.message_history import select_conversation
from maxagent.sdk.graph_registry import CHAT
from maxagent.sdk.threads.steps import find_step
from maxagent.sdk.threads.time_travel import copy_thread, fork, rewind_talk
from maxagent.sdk.threads.transcript import read_transcript
from maxagent.sdk.transfer.exporter import export_thread
from maxagent.sdk.transfer.importer import import_thread

NOTES = "pkg/AGENTS.md"


class CutThread:
    """A conversation of four turns; the model reads a long file in each."""

    def __init__(self, folder: Path, provider: Provider) -> None:
        self.home, self.project, self.provider = folder / "home", folder / "project", provider
        self.thread = ""
        (self.project / "pkg").mkdir(parents=True)
        for name in "abcd":
            (self.project / "pkg" / f"{name}.py").write_text(f"# {name}\n" + "line = 1\n" * 900)
        (self.project / NOTES).write_text("Write docstrings.")
        trust(self.project, self.home)

    @property
    def row(self) -> ThreadRow:
        return ThreadIndex(self.home).get(self.thread)

    async def say(self, text: str, thread: str = "", *, read: str = "") -> list[str]:
        """Say something; return the contents of the last request's messages after the system's."""
        call = {"name": "read_file", "args": {"path": f"pkg/{read}.py"}}
        reads = [{"text": "I look.", "tool_calls": [call]}] if read else []
        self.provider.script([*reads, {"text": f"Done with {text}"}])
        options: Any = {"model": "openai/served", "base_url": self.provider.url, "mode": "auto"}
        async with Runner(home=self.home) as runner:
            if thread or self.thread:
                events = runner.say(thread or self.thread, text, options=options)
            else:
                events = runner.chat(text, folder=self.project, options=options)
            end = [event async for event in events][-1]
        self.thread = self.thread or str(end.thread_id)
        sent = self.provider.requests[-1].body["messages"][1:]
        return [str(message.get("content")) for message in sent]

    async def cut(self, window: int = 20_000, **changed: Any) -> Cut:
        """Cut the conversation as the node `compact` does."""
        async with Runner(home=self.home) as runner:
            graph = runner._graph_of(CHAT)  # pyright: ignore
            config: Any = {"configurable": {"thread_id": self.thread}}
            state: Any = (await graph.aget_state(config)).values
            cut = build_cut(select_conversation(state, "build"), window)
            assert cut and cut["upto"]
            update = {"cuts": {"chat": {**cut, "id": uuid4().hex, **changed}}}
            await graph.aupdate_state(config, Command(goto="__end__", update=update), "compact")
        return cut


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[CutThread]:
    with Provider() as provider:
        talk = CutThread(tmp_path, provider)
        for number, name in enumerate("abc"):
            await talk.say(f"Request {number}", read=name)
        yield talk


def random_text(size: int) -> str:
    """Text that no compression makes small."""
    return Random(1).randbytes(size // 2).hex()


def show(talk: CutThread, thread: str) -> list[tuple[str, str]]:
    entries = read_transcript(ThreadIndex(talk.home).get(thread), talk.home)
    return [(entry.kind, entry.text or entry.result[:20]) for entry in entries]


async def test_view_hides_and_history_shows_everything(talk: CutThread) -> None:
    before = show(talk, talk.thread)
    await talk.cut()
    sent = await talk.say("Request 3")
    assert sent[:3] == [
        "Earlier request, done:\n\nRequest 0",
        "Earlier request, done:\n\nRequest 1",
        LABEL.replace("{summary}", "What happened so far."),
    ]
    assert sent[-1] == "Request 3" and not any("# a" in text for text in sent)
    assert show(talk, talk.thread)[: len(before)] == before
    first, last = (talk.provider.requests[at].whole for at in (0, -1))
    assert (first["messages"][0], first["tools"]) == (last["messages"][0], last["tools"])
    assert [row.thread_id for row in ThreadIndex(talk.home).search("Done with Request 0")]


async def test_removed_cut_sends_everything_again(talk: CutThread) -> None:
    full_text = await talk.say("Request 3")
    await talk.cut()
    async with Runner(home=talk.home) as runner:
        graph = runner._graph_of(CHAT)  # pyright: ignore
        config: Any = {"configurable": {"thread_id": talk.thread}}
        dropped = Command(goto="__end__", update={"cuts": {"chat": None}})
        await graph.aupdate_state(config, dropped, "compact")
    assert (await talk.say("Request 4"))[: len(full_text)] == full_text


async def test_fork_and_import_send_the_same_view(talk: CutThread, tmp_path: Path) -> None:
    await talk.cut()
    await talk.say("Request 3", read="d")
    copied = (await copy_thread(talk.row, talk.home)).thread_id
    file = tmp_path / "thread.zip"
    file.write_bytes(export_thread(talk.row, talk.home).content)
    with Provider() as provider:
        other = CutThread(tmp_path / "elsewhere", provider)
        imported = (await import_thread(file, other.project, other.home)).row.thread_id
        there = await other.say("Request 4", imported)
        assert show(other, imported)[:-2] == show(talk, talk.thread)
    assert there == await talk.say("Request 4", copied) == await talk.say("Request 4")


async def test_rewind_before_a_cut_undoes_it(talk: CutThread) -> None:
    full_text = await talk.say("Request 3")
    await talk.cut()
    await talk.say("Request 4")
    steps = talk.row
    forked = await fork(steps, talk.home, find_step(steps, talk.home, 7))
    assert (await talk.say("Again", forked.thread_id))[: len(full_text)] == full_text
    await rewind_talk(talk.row, talk.home, find_step(talk.row, talk.home, 7))
    assert (await talk.say("Again"))[: len(full_text)] == full_text
    assert "What happened so far." not in " ".join(await talk.say("And again"))


async def test_hidden_instructions_return_with_their_files(talk: CutThread) -> None:
    assert any("Write docstrings." in text for text in await talk.say("Request 3"))
    await talk.cut()
    sent = await talk.say("Request 4")
    assert not any("Write docstrings." in text for text in sent)
    sent = await talk.say("Request 5", read="d")
    assert sum("Write docstrings." in text for text in sent) == 1


async def test_a_cut_is_stored_once(talk: CutThread) -> None:
    await talk.cut(summary=random_text(50_000))
    before = paths.locate_database(talk.home).stat().st_size
    for number in range(3, 8):
        await talk.say(f"Request {number}")
    assert paths.locate_database(talk.home).stat().st_size - before < 100_000
