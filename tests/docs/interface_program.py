"""A program with the whole interface, for strict type checkers; never run."""

import asyncio
import io
import queue
from collections.abc import Mapping
from pathlib import Path

from langchain_core.language_models import FakeListChatModel
from langchain_core.tools import tool as lc_tool

from maxagent import (
    AgentProfile,
    Answer,
    CardProposed,
    Completion,
    Event,
    EventMessage,
    EventRunner,
    MaxAgentError,
    Notice,
    Options,
    Output,
    Question,
    Runner,
    RunResult,
    SyncRunner,
    TerminalRunner,
    ThreadBusyError,
    UnfinishedTurnError,
    UsageError,
    agents,
    collect,
    list_questions,
    tool,
    trust,
)


@tool(effect="read")
def look(item: str) -> dict[str, int]:
    """Look."""
    return {item: 1}


@lc_tool
def weather(city: str) -> str:
    """Weather."""
    return city


class Service:
    def bump(self, by: int = 1) -> int:
        """Bump."""
        return by


async def ask(question: Question) -> Answer | None:
    return question.allow() if not question.needs_text else None


def ask_sync(question: Question) -> Answer:
    return question.deny("no")


async def after(payload: Mapping[str, object]) -> str | None:
    return str(payload["tool"])


class Audit:
    def __call__(self, payload: Mapping[str, object]) -> None:
        print(payload)


async def main() -> RunResult:
    options: Options = {
        "mode": "auto",
        "max_turns": 3,
        "schema": {"type": "object"},
        "effort": "high",
    }
    async with Runner(
        home=Path("x"),
        on_question=ask,
        tools=[look, weather, Service().bump],
        model=FakeListChatModel(responses=[]),
        hooks={"before_tool": [after, Audit()], "on_stop": [lambda p: None]},
    ) as runner:
        async for event in runner.task("x", folder=".", options=options, time_limit=3.0):
            if event.type == "card_proposed":
                await runner.keep_card("t", event.card["id"])
            elif event.type == "tool_result":
                print(event.ok, event.output, event.metadata.get("path"))
            elif event.type == "question":
                print([question.text for question in list_questions(event)])
            elif isinstance(event, Completion):
                print(event.files[0]["path"], event.usage["total"])
        result = await collect(runner.say("t", "x", agent="build", abandon=True))
        if result.question:
            result = await collect(runner.resume(result.thread_id, result.question.answer("x")))
            result = await collect(runner.resume(result.thread_id, [Answer(approve=True)]))
        runner.stop("t")
        print(runner.is_stopping("t"), runner.steer("t", "x"), runner.steer("x"))
        changes = await runner.changes("t")
        print(
            [(file.path, file.kind) for file in changes.files],
            changes.diff,
            changes.uncommitted_before,
        )
        for step in runner.checkpoints("t"):
            print(step.number, step.words, step.tools, step.files, step.checkpoint_id)
        async with runner.rollback("t", 1, talk=False) as plan:
            print(plan.paths, plan.conflicts)
            await plan.apply()
        job = runner.background.list("t")[0]
        await runner.background.kill("t", job.id)
        print(runner.background.read_output("t", job.id), runner.threads.list()[0].status)
        print(await runner.options_of("t"), await runner.uncompact("t"))
        async for event in runner.compact("t", "x"):
            print(event.type)
        return result


def sync() -> None:
    with SyncRunner(on_question=ask_sync, tools=(look,)) as runner:
        runner.trust(".")
        result = runner.collect(runner.chat("x", folder=Path("."), name="n"))
        print(
            result.text, result.parsed, result.files, result.usage, result.evidence, result.status
        )
        with runner.rollback("t", 1) as plan:
            plan.apply()
        jobs = runner.call(lambda inner: inner.background.list("t"))
        changes = runner.call(lambda inner: inner.changes("t"))
        print(jobs[0].id, changes.diff)


def send(message: EventMessage) -> None:
    print(message["path"], message["data"], message["meta"]["seq"])


async def asend(message: EventMessage) -> None:
    print(message["type"])


async def web() -> None:
    lines: list[EventMessage] = []
    waiting: asyncio.Queue[EventMessage] = asyncio.Queue()
    plain: queue.Queue[EventMessage] = queue.Queue()
    for sink in (
        EventRunner(send),
        EventRunner(asend),
        EventRunner(lines.append),
        EventRunner(io.StringIO()),
        EventRunner(waiting),
        EventRunner(plain),
    ):
        async with sink as runner:
            result = await runner.run(runner.chat("x", folder="."))
            print(result.text)
    async with TerminalRunner(on_question=ask) as shown:
        print((await shown.run(shown.chat("x", folder="."))).status)
    with open("x", "w", encoding="utf-8") as file:
        async with EventRunner(file) as runner:
            await runner.run(runner.chat("x", folder="."))


def show(event: Event) -> str:
    match event:
        case Output(text=text) | Notice(text=text):
            return text
        case CardProposed():
            return event.card["content"]
        case _:
            return ""


try:
    asyncio.run(main())
except (ThreadBusyError, UnfinishedTurnError, UsageError) as error:
    print(error.message, error.hint, str(error))
except MaxAgentError:
    pass
agents.register(
    AgentProfile(
        "a",
        "b",
        "c",
        allowed_tools=["read_file"],
        file_permissions={"*": "read-only"},
        mode="subagent",
    )
)
print([tool.name for tool in agents.filter_tools(agents.get("a"), [weather])])
trust(Path("."))
