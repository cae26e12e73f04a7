"""A server that speaks the Agent Protocol and serves our graphs: `langgraph dev`, Aegra.

Its runs stream the events that the nodes emit; how a run begins and ends is read from the thread's
state. A connection that is lost goes on by the IDs of the server's events.
"""

import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, NoReturn

from ...config.errors import UsageError
from ...config.text import text
from ...memory.threads.thread_id import create_thread_id
from ...models.http.sse import EventDecoder
from ...nodes.events.union import as_json, build_usage
from ...sdk.interrupt_response import Answer, match_answers
from .address import RemoteAddress
from .agent_state import (
    build_message,
    build_resume,
    build_start,
    describe_failure,
    describe_thread,
    drop_empty,
    drop_type,
    find_answer,
    get_graph,
    list_entries,
    list_questions,
)
from .connection import LOSSES, Json, Reconnection, ServerConnection
from .server import RunPlace, ThreadServer

MAX_THREADS = 500
# An ID of an event: milliseconds, and a count
_TIME_ID = re.compile(r"(\d{10,})-(\d+)")


@asynccontextmanager
async def open_server(address: RemoteAddress) -> "AsyncGenerator[ThreadServer | AgentServer]":
    """Open the client of the server that answers there."""
    async with ServerConnection(address) as connection:
        is_agent_server = await connection.has("/ok")
        yield AgentServer(connection) if is_agent_server else ThreadServer(connection)


class AgentServer:
    """Asks one server."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    async def list_threads(self, query: str = "") -> list[Json]:
        """Return the threads, the last used first; with a query those with it in their title."""
        wish = {"limit": MAX_THREADS, "sort_by": "updated_at", "sort_order": "desc"}
        rows = [describe_thread(each) for each in await self._post("/threads/search", wish)]
        return [row for row in rows if query.lower() in row["title"].lower()]

    async def read_thread(self, thread_id: str) -> Json:
        """Return a thread with its entries."""
        thread = await self._get(f"/threads/{thread_id}")
        state = await self._get(f"/threads/{thread_id}/state")
        row = describe_thread({**thread, "values": state["values"]})
        entries = [*list_entries(state["values"])]
        return {"thread": row, "entries": entries, "is_running": row["status"] == "running"}

    async def read_diff(self, thread_id: str) -> NoReturn:
        """Raise UsageError: the files are not in the protocol."""
        await self.change(thread_id, "diff", {})

    async def change(self, thread_id: str, action: str, body: Mapping[str, Any]) -> NoReturn:
        """Raise UsageError: what concerns files, steps and limits is not in the protocol."""
        raise UsageError(
            text("the Agent Protocol has no `{action}`", action=action),
            hint="use the server of `mcode web`, or the terminal of that machine",
        )

    async def begin(self, body: Mapping[str, Any]) -> RunPlace:
        """Begin a thread."""
        graph, message = body.get("graph", "chat"), str(body["text"])
        if not body.get("folder"):
            raise UsageError(
                "this server has no folder of its own for new threads",
                hint="name one on the server: `--folder PATH`",
            )
        options = {"mode": body.get("mode"), "model": body.get("model"), **body["options"]}
        task = {"request": message, "folder": body["folder"], "options": drop_empty(options)}
        thread_id = create_thread_id()
        title = message.strip().splitlines()[0][:60]
        metadata = {"graph_id": graph, "title": title, "folder": body["folder"]}
        await self._post("/threads", {"thread_id": thread_id, "metadata": metadata})
        return await self._start(thread_id, graph, {"input": task})

    async def say(self, thread_id: str, body: Mapping[str, Any]) -> RunPlace:
        """Send the next message of a conversation."""
        thread = await self._get(f"/threads/{thread_id}")
        options = {"mode": body.get("mode"), "model": body.get("model"), **body["options"]}
        values: Mapping[str, Any] = thread.get("values") or {}
        before: Mapping[str, Any] = values.get("options") or {}
        chosen: Json = {**before, **drop_empty(options)}
        task = {"request": body["text"], "options": chosen}
        return await self._start(thread_id, get_graph(thread), {"input": task})

    async def answer(self, thread_id: str, answers: Sequence[Answer]) -> RunPlace:
        """Answer questions of a thread."""
        thread = await self._get(f"/threads/{thread_id}")
        questions = list_questions(thread_id, await self._get(f"/threads/{thread_id}/state"))
        resume = {
            question.id: build_resume(question, answer)
            for question, answer in match_answers(answers, thread_id[:8], questions)
        }
        return await self._start(thread_id, get_graph(thread), {"command": {"resume": resume}})

    async def resume(self, thread_id: str, choices: Mapping[str, Any]) -> RunPlace:
        """Continue a thread; of one that runs, or asks, return the place of that."""
        for name in ("wait", "now"):
            if choices.get(name):
                await self.change(thread_id, f"resume --{name}", {})
        thread = await self._get(f"/threads/{thread_id}")
        runs = await self._get(f"/threads/{thread_id}/runs")
        active = [run["run_id"] for run in runs if run["status"] in ("pending", "running")]
        if active:
            return RunPlace(thread_id, active[0])
        state = await self._get(f"/threads/{thread_id}/state")
        if not state["next"] or list_questions(thread_id, state):
            return RunPlace(thread_id, None)
        context = drop_empty({name: choices.get(name) for name in ("mode", "model")})
        return await self._start(thread_id, get_graph(thread), {"input": None}, context)

    async def stop(self, thread_id: str) -> None:
        """End the run of a thread."""
        for run in await self._get(f"/threads/{thread_id}/runs"):
            if run["status"] in ("pending", "running"):
                path = f"/threads/{thread_id}/runs/{run['run_id']}/cancel?wait=true"
                await self._post(path, {})

    async def _start(
        self,
        thread_id: str,
        graph: str,
        job: Mapping[str, Any],
        context: Mapping[str, Any] | None = None,
    ) -> RunPlace:
        body = {
            "assistant_id": graph,
            "stream_mode": ["custom"],
            "stream_resumable": True,
            "on_disconnect": "continue",
            "multitask_strategy": "reject",
            "durability": "sync",
            **({"context": context} if context else {}),
            **job,
        }
        run = await self._post(f"/threads/{thread_id}/runs", body)
        return RunPlace(thread_id, run["run_id"])

    async def follow(self, run: RunPlace) -> AsyncGenerator[Json]:
        """Yield the messages of a run, over lost connections, each once, to its last event."""
        thread = await self._get(f"/threads/{run.thread_id}")
        row = describe_thread(thread)
        yield build_start(thread, row)
        failure = ""
        if run.after:
            async with aclosing(self._read_run(run)) as events:
                async for name, data in events:
                    if name == "custom":
                        yield build_message(data.pop("type"), data)
                    elif name == "error":
                        failure = str(data.get("message") or data.get("error"))
        yield await self._read_end(run, row, failure)

    async def _read_run(self, run: RunPlace) -> AsyncGenerator[tuple[str, Json]]:
        path, position = f"/threads/{run.thread_id}/runs/{run.after}", StreamPosition()
        retries, is_over = Reconnection(self._connection), False
        while True:
            decoder, headers = _NamedEvents(), {"Last-Event-ID": position.begin()}
            try:
                portions = self._connection.stream(f"{path}/stream", headers=headers)
                async with aclosing(portions) as reading:
                    async for portion in reading:
                        retries.note_life()
                        for event in decoder.feed(portion):
                            event_id, name, data = event.split("\n", 2)
                            if position.advance(event_id, data):
                                yield name, json.loads(data) if data.startswith("{") else {}
                        if position.is_doubtful:
                            break
            except LOSSES as error:
                retries.note_loss(error)
                await retries.wait()
                continue
            if position.is_doubtful:
                continue
            if is_over:
                return
            # once more after its end: what came last may not have been sent
            is_over = await self._read_status(run) not in ("pending", "running")

    async def _read_end(self, run: RunPlace, row: Json, failure: str) -> Json:
        state = await self._get(f"/threads/{run.thread_id}/state")
        questions, values = list_questions(run.thread_id, state), state["values"]
        if failure:
            return build_message("error", describe_failure(failure, run.thread_id))
        if questions:
            first, *others = [as_json(question) for question in questions]
            count = {"position": 1, "count": len(questions)}
            return build_message("question", {**drop_type(first), **count, "others": others})
        usage = build_usage(values.get("usage"))
        status = await self._read_status(run)
        if state["next"] or status == "interrupted":
            return build_message("interrupted", {"thread_id": run.thread_id, "usage": usage})
        completion: Json = {
            "thread_id": run.thread_id,
            "outcome": values.get("outcome") or "unverified",
            "summary": values.get("summary") or find_answer(values),
            "evidence": values.get("evidence"),
            "files": [],
            "diff": "",
            "graph": row["graph"],
            "usage": usage,
        }
        return build_message("completion", completion)

    async def _read_status(self, run: RunPlace) -> str:
        """Return how a run stands; empty if the thread had none."""
        path = f"/threads/{run.thread_id}/runs/{run.after}"
        return str((await self._get(path))["status"]) if run.after else ""

    async def _get(self, path: str) -> Any:
        return await self._connection.ask("GET", path)

    async def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        return await self._connection.ask("POST", path, json=body)


class StreamPosition:
    """How far a stream was read, by the IDs of its events.

    LangGraph's development server makes an ID of the millisecond: events that were sent together
    have the same one, and to go on after it would lose some. So its events are asked for from that
    millisecond on, and those that were read are left out.

    It also sends what happens while a connection begins twice: from its store, then live. Two equal
    events of one millisecond may be one that was sent twice, or two. Then the connection is begun
    once more, because the store has each once.
    """

    def __init__(self) -> None:
        self._last_id, self._moment, self._begun_at = "", 0, 0
        self.is_doubtful = False
        """Whether an event may be a repeated one: a new connection is to tell; no more is read."""
        self._read, self._repeated = Counter[str](), Counter[str]()

    def begin(self) -> str:
        """Return the ID after which a connection is to go on."""
        self._repeated = Counter(self._read)
        self._begun_at, self.is_doubtful = self._moment, False
        return str(self._moment) if self._moment else self._last_id or "0"

    def advance(self, event_id: str, data: str) -> bool:
        """Return whether an event is new."""
        match = _TIME_ID.fullmatch(event_id)
        if self.is_doubtful:
            return False
        if not match:
            self._last_id = event_id or self._last_id
            return True
        moment = int(match[1])
        if moment < self._moment:  # sent twice as the connection began, and so is what follows it
            self._repeated = Counter(self._read)
            return False
        event = f"{event_id} {data}"
        if moment == self._moment and self._repeated[event] > 0:
            self._repeated[event] -= 1
            return False
        if moment > self._moment:
            self._moment = moment
            self._read.clear()
        elif moment > self._begun_at and self._read[event]:
            self.is_doubtful = True
            return False
        self._read[event] += 1
        return True


class _NamedEvents(EventDecoder):
    """Decodes events to their ID, name and data, on lines of their own."""

    def __init__(self) -> None:
        super().__init__()
        self._id = self._name = ""

    def _process_line(self, line: bytes) -> Iterator[str]:
        field, _, value = line.decode("utf-8", "replace").partition(":")
        if field == "id":
            self._id = value.strip()
        elif field == "event":
            self._name = value.strip()
        for data in super()._process_line(line):
            yield f"{self._id}\n{self._name}\n{data}"
            self._name = ""
