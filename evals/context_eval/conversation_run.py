"""A long conversation from its first message to its last, through the real runner."""

import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "tests/fixtures"))

from chapter_plan import ChapterPlan, build_settings  # noqa: E402

from maxagent import Runner, trust  # noqa: E402
from maxagent.memory.threads.index import ThreadIndex  # noqa: E402
from maxagent.sdk.events import Completion, Event, as_json  # noqa: E402
from maxagent.sdk.threads.transcript import read_transcript  # noqa: E402

SERVED = "openai/served"
NEAR = 5
"""Model turns in which there must not be two compactions."""


@dataclass
class Conversation:
    """What has happened."""

    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Those of compactions; each has the number of model turns before it as `turns`."""
    turns: int = 0
    """Answers of the model; a summary is none."""
    is_compacting: bool = False
    thread: str = ""
    failure: str = ""
    """The last event of a turn that did not end with an answer; empty: all did."""

    def list_compactions(self) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == "compaction_finished"]

    def find_thrash(self) -> list[tuple[int, int]]:
        """Pairs of compactions within five model turns, by their numbers of turns."""
        at = [event["turns"] for event in self.list_compactions()]
        return [(one, two) for one, two in zip(at, at[1:], strict=False) if two - one < NEAR]

    def add_event(self, event: Event) -> None:
        told = as_json(event)
        if told["type"].startswith("compaction"):
            self.is_compacting = told["type"] == "compaction_started"
        # a summary is counted, too, but it is no turn
        self.turns += told["type"] == "token_usage" and not self.is_compacting
        self.thread = told.get("thread_id") or self.thread
        if told["type"].startswith(("compaction", "cache_reset", "notice", "error")):
            self.events.append({**told, "turns": self.turns})


def prepare_place(plan: ChapterPlan, place: Path, url: str, window: int, **context: Any) -> None:
    """Make the project and the home of a conversation."""
    (place / "home").mkdir(parents=True)
    (place / "home" / "config.yaml").write_text(build_settings(url, window, **context))
    plan.build_project(place / "project")
    trust(place / "project", place / "home")


async def hold_conversation(plan: ChapterPlan, place: Path, model: str = SERVED) -> Conversation:
    """Say what is not yet said, from wherever an earlier process has left it."""
    conversation = Conversation()
    home, folder = place / "home", place / "project"
    async with Runner(home=home) as runner:
        rows = runner.threads.list()
        thread = conversation.thread = rows[0].thread_id if rows else ""
        said = 0
        if rows:
            said = count_messages(home, thread)
            if rows[0].status != "idle":
                await _watch(runner.resume(thread), conversation)
        while not conversation.failure and said < plan.chapters:
            said += 1
            words = plan.build_message(said)
            run = (
                runner.say(thread, words)
                if thread
                else runner.chat(words, folder=folder, options={"model": model, "mode": "auto"})
            )
            await _watch(run, conversation)
            thread = conversation.thread
    return conversation


async def run_task(plan: ChapterPlan, place: Path) -> Conversation:
    """Have the first chapter written as a task, whose tests check every page."""
    conversation = Conversation()
    async with Runner(home=place / "home") as runner:
        options: Any = {"model": SERVED, "mode": "auto", "apply": True}
        words = plan.build_message(1)
        run = runner.task(words, folder=place / "project", options=options)
        await _watch(run, conversation)
    return conversation


def count_turns(plan: ChapterPlan) -> int:
    """How many answers the plan needs: seven for a page, two more for a chapter."""
    return plan.chapters * (7 * plan.pages_each + 2)


def count_messages(home: Path, thread: str) -> int:
    """How many messages of the user the thread has."""
    entries = read_transcript(ThreadIndex(home).get(thread), home)
    return sum(entry.kind == "human" for entry in entries)


async def _watch(run: AsyncGenerator[Event], conversation: Conversation) -> None:
    last: Event | None = None
    async for event in run:
        conversation.add_event(event)
        last = event
    if not isinstance(last, Completion) or last.outcome not in ("answered", "verified"):
        conversation.failure = str(last)
