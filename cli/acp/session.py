"""One conversation of a client: its thread, its turns, its questions."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from ...config.errors import UsageError
from ...memory.threads.record import ThreadRow
from ...nodes.options import Options
from ...sdk import events as ev
from ...sdk.interrupt_response import Answer
from ..i18n.catalogs import t
from .client_offer import split_folders
from .config_options import Choices, build_modes, build_options, choose
from .connection import Connection, ConnectionLostError
from .frames import RpcError
from .params import as_object
from .permissions import (
    Decision,
    build_answer,
    build_call,
    build_form,
    get_call_id,
    is_for_words,
    is_form,
    list_options,
    list_requests,
    read_decision,
    read_form,
)
from .prompt_content import FOLDERS, PromptContent
from .updates import Update, UpdateWriter

if TYPE_CHECKING:
    from ...sdk.runner import Runner
    from ...tools.mcp.server_config import McpServer


class Client(Protocol):
    """The client that a session belongs to."""

    connection: Connection
    version: int
    home: Path

    @property
    def can_fill_forms(self) -> bool:
        """Whether it shows elicitations."""
        ...

    def describe_failure(self, error: Exception) -> dict[str, Any]:
        """Return an error as the protocol has it."""
        ...

    async def open_runner(self) -> "Runner":
        """Return what runs the threads."""
        ...

    def create_writer(self, session: "AcpSession") -> UpdateWriter:
        """Return what turns events into updates."""
        ...


class AcpSession:
    """A thread as one client works with it; the thread is created by the first prompt."""

    def __init__(
        self,
        client: Client,
        thread_id: str,
        folder: str,
        choices: Choices,
        row: ThreadRow | None,
        servers: "tuple[McpServer, ...]" = (),
        folders: Sequence[Path] = (),
    ) -> None:
        self.client, self.thread_id, self.folder = client, thread_id, folder
        self.choices, self.row, self._servers = choices, row, servers
        self._folders, self._private_folders = split_folders(folders, client.home)
        self._are_folders_known = not self._folders
        self.options: Options = cast("Options", dict(row.options or {})) if row else {}
        self.usage: ev.TokenUsage | None = None
        """Of the thread; None before its first request of this session."""
        self._unsent: Options = {}
        self._turn: asyncio.Task[str] | None = None
        self._open_questions: list[ev.Question] = []
        self._announced = set[str]()

    @property
    def is_running(self) -> bool:
        """Whether a turn goes on."""
        return bool(self._turn and not self._turn.done())

    def describe_state(self) -> dict[str, Any]:
        """Return modes and options, as the answers that open a session have them."""
        version = self.client.version
        state: dict[str, Any] = {
            "configOptions": build_options(self.options, self.choices, version)
        }
        if version == 1:
            state["modes"] = build_modes(self.options, self.choices)
        return state

    async def choose(self, name: str, value: str) -> None:
        """Choose an option for the next message on; raises UsageError."""
        before = self.options
        self.options = choose(before, name, value, self.choices)
        changed = {key: word for key, word in self.options.items() if before.get(key) != word}
        self._unsent = cast("Options", {**self._unsent, **changed})
        if name == "mode" and self.client.version == 1:
            await self.send({"sessionUpdate": "current_mode_update", "currentModeId": value})
        await self._send_options()

    def describe_unused(self) -> str:
        """Return what the client gives and is not used, with the reasons; mostly nothing."""
        held = [t("acp.folder", folder=folder) for folder in self._private_folders]
        return "\n".join([*held, *self._describe_unused_servers()])

    def _describe_unused_servers(self) -> list[str]:
        if not self._servers:
            return []
        from ...tools.mcp.config_files import load_servers

        loaded = load_servers(Path(self.folder), self.client.home, client_servers=self._servers)
        problems = {server.name: server.problem for server in loaded if server.problem}
        return [
            t("acp.server", name=server.name, reason=problems[server.name])
            for server in self._servers
            if server.name in problems
        ]

    async def open_runner(self) -> "Runner":
        """Return the runner, which knows what the client gives this session from now on."""
        runner = await self.client.open_runner()
        from ...nodes.run.dependency_pool import ClientOffer

        runner.pool.client_offers[self.folder] = ClientOffer(self._servers, self._folders)
        return runner

    async def send(self, update: Update) -> None:
        """Send an update of this session."""
        params = {"sessionId": self.thread_id, "update": update}
        await self.client.connection.notify("session/update", params)

    async def notify(self, words: str, severity: str = "info") -> None:
        """Send a notice."""
        await self.send(self.client.create_writer(self).notice(words, severity))

    async def set_state(self, state: str, **facts: object) -> None:
        """Tell what the session does now, in the version that has states."""
        if self.client.version > 1:
            await self.send({"sessionUpdate": "state_update", "state": state, **facts})

    async def run(self, opening: Awaitable["AsyncGenerator[ev.Event] | str"]) -> str:
        """Follow a turn to its end; return why it stopped. Raises an error if it failed.

        `opening` returns the turn's events, or the words of what has been done.
        """
        self._turn = turn = asyncio.ensure_future(self._run(opening))
        try:
            return await asyncio.shield(turn)
        except asyncio.CancelledError:
            if turn.cancelled():
                return "cancelled"
            self.cancel()  # the request itself was cancelled
            raise
        finally:
            if turn.done():
                self._turn = None

    async def wait_for_turn(self) -> str:
        """Wait for the running turn; return why it stopped."""
        turn = self._turn
        return await asyncio.shield(turn) if turn else "end_turn"

    async def wait_until_idle(self) -> None:
        """Wait for the running turn, however it ends."""
        if self._turn:
            await asyncio.wait([self._turn])
            await asyncio.sleep(0)  # who runs it notes its end

    def cancel(self) -> None:
        """End the running turn at once; the thread keeps what was done."""
        if self._turn and not self._turn.cancelling():
            self._turn.cancel()

    async def stop(self) -> None:
        """End the running turn, and wait until it has kept what was done."""
        self.cancel()
        await self.wait_until_idle()

    async def start_turn(self, prompt: PromptContent) -> AsyncGenerator[ev.Event]:
        """Return the events of the turn that a prompt begins."""
        runner = await self.open_runner()
        if self._open_questions and is_for_words(self._open_questions[0]) and prompt.words:
            answer = self._open_questions[0].answer(prompt.words)
            self._open_questions = []
            return runner.resume(self.thread_id, answer)
        options: Options = {**self._unsent, "mentioning": prompt.mentioning}
        if aside := [*self._describe_folders(), *prompt.aside]:
            options["aside"] = aside
        self._open_questions, self._unsent = [], {}
        if self.row:  # an open call or question that was left is answered by the message
            return runner.say(self.thread_id, prompt.words, options=options, abandon=True)
        return runner.chat(
            prompt.words, folder=self.folder, options=options, thread_id=self.thread_id
        )

    def _describe_folders(self) -> list[str]:
        """Return what tells the model of the other folders, once in a session."""
        if self._are_folders_known:
            return []
        self._are_folders_known = True
        return [FOLDERS.format(folders="\n".join(map(str, self._folders)))]

    async def steer(self, words: str) -> None:
        """Send a message to the running turn."""
        runner = await self.client.open_runner()
        runner.steer(self.thread_id, words)

    async def continue_waiting(self) -> AsyncGenerator[ev.Event]:
        """Return the events of a thread that waits: its question again."""
        runner = await self.open_runner()
        return runner.resume(self.thread_id)

    async def _run(self, opening: Awaitable["AsyncGenerator[ev.Event] | str"]) -> str:
        await self.set_state("running")
        end: dict[str, object] = {"stopReason": "cancelled"}
        try:
            end = {"stopReason": await self._take_turn(opening)}
        except Exception as error:
            end = {"stopReason": "error", "error": self.client.describe_failure(error)}
            raise
        finally:
            with suppress(ConnectionLostError):
                await self.set_state("idle", **end)
        return str(end["stopReason"])

    async def _take_turn(self, opening: Awaitable["AsyncGenerator[ev.Event] | str"]) -> str:
        opened, writer = await opening, self.client.create_writer(self)
        if isinstance(opened, str):
            await self.send(writer.chunk("agent_message", opened))
            return "end_turn"
        return await self._follow(opened, writer)

    async def _follow(self, events: AsyncGenerator[ev.Event], writer: UpdateWriter) -> str:
        writer.number = self.row.steps if self.row else 0
        while True:
            last: ev.Event | None = None
            async with aclosing(events):
                async for last in events:
                    await self._show(last, writer)
            if not isinstance(last, ev.Question):
                return await self._end(last)
            self._open_questions = ev.list_questions(last)
            answers = await self._ask(self._open_questions)
            if not answers:
                return await self._report_open(self._open_questions[0])
            self._open_questions = []
            events = (await self.open_runner()).resume(self.thread_id, answers)

    async def _show(self, event: ev.Event, writer: UpdateWriter) -> None:
        if isinstance(event, ev.RunStarted):
            await self._take_row()
        elif isinstance(event, ev.ToolCall):
            self._announced.add(event.id)
        elif isinstance(event, ev.TokenUsage) and not event.agent:
            self.usage = event
        elif isinstance(event, ev.ModeChanged):
            plan = event.mode == "plan"
            self.options = cast("Options", {**self.options, "plan": plan, "agent": event.agent})
            await self._send_options()
        for update in writer.render(event):
            await self.send(update)

    def describe_usage(self) -> dict[str, Any]:
        """Return the tokens of the thread, as the answer to a prompt has them."""
        if not (usage := self.usage):
            return {}
        tokens = {"inputTokens": usage.input, "outputTokens": usage.output}
        total = {"totalTokens": usage.input + usage.output, "cachedReadTokens": usage.cached}
        return {"usage": tokens | total}

    async def _take_row(self) -> None:
        """Know the thread from now on, and tell its title where it is new."""
        is_new, runner = self.row is None, await self.client.open_runner()
        self.row = await asyncio.to_thread(runner.threads.get, self.thread_id)
        if is_new:
            info = {"title": self.row.title, "updatedAt": self.row.updated_at}
            await self.send({"sessionUpdate": "session_info_update", **info})

    async def _send_options(self) -> None:
        options = build_options(self.options, self.choices, self.client.version)
        await self.send({"sessionUpdate": "config_option_update", "configOptions": options})

    async def _end(self, last: ev.Event | None) -> str:
        runner = await self.client.open_runner()
        self.row = await asyncio.to_thread(runner.threads.get, self.thread_id)
        if isinstance(last, ev.Failure):
            raise UsageError(last.message, hint=last.hint)
        return "cancelled" if isinstance(last, ev.Interrupted | None) else "end_turn"

    async def _report_open(self, question: ev.Question) -> str:
        """Say what waits; the next message, or another shell, answers it."""
        if question.kind == "limit":
            return "max_turn_requests"
        if is_for_words(question):
            writer = self.client.create_writer(self)
            await self.send(writer.chunk("agent_message", question.text))
        else:
            await self.notify(t("acp.waits", thread=self.thread_id[:8]))
        return "end_turn"

    async def _ask(self, questions: Sequence[ev.Question]) -> list[Answer]:
        """Ask the client all at once; return the answers to what it has decided."""
        await self.set_state("requires_action")
        answers = await asyncio.gather(*map(self._ask_question, questions))
        await self.set_state("running")
        return [answer for answer in answers if answer]

    async def _ask_question(self, question: ev.Question) -> Answer | None:
        decisions = await asyncio.gather(
            *(
                self._decide(question, number, request)
                for number, request in enumerate(list_requests(question))
            )
        )
        complete = [decision for decision in decisions if decision]
        return build_answer(question, complete) if len(complete) == len(decisions) else None

    async def _decide(
        self, question: ev.Question, number: int, request: Mapping[str, Any]
    ) -> Decision | None:
        """Return the user's decision on one request; None: it stays open."""
        call_id = get_call_id(question, number, request)
        has_options = bool(as_object(request.get("args")).get("options"))
        try:
            if is_form(request) or (question.needs_text and not has_options):
                return await self._fill_form(call_id, request)
            return await self._request_permission(question, number, request)
        except RpcError as error:
            await self.notify(t("acp.client_error", reason=error.message), "warning")
            return None

    async def _fill_form(self, call_id: str, request: Mapping[str, Any]) -> Decision | None:
        if not self.client.can_fill_forms:
            return None
        scope = {"sessionId": self.thread_id, "toolCallId": call_id}
        params = {**scope, **build_form(request)}
        result = await self.client.connection.request("elicitation/create", params)
        return read_form(result, request)

    async def _request_permission(
        self, question: ev.Question, number: int, request: Mapping[str, Any]
    ) -> Decision | None:
        version = self.client.version
        call = build_call(question, number, request, self.folder, version)
        if call["toolCallId"] not in self._announced:
            self._announced.add(call["toolCallId"])
            kind = "tool_call" if version == 1 else "tool_call_update"
            await self.send({"sessionUpdate": kind, **call})
        subject: dict[str, Any] = {"toolCall": call}
        if version != 1:
            subject = {"title": call["title"], "subject": {"type": "tool_call", "toolCall": call}}
        options = list_options(question, request)
        params = {"sessionId": self.thread_id, **subject, "options": options}
        result = await self.client.connection.request("session/request_permission", params)
        outcome = as_object(as_object(result).get("outcome"))
        if outcome.get("outcome") != "selected":
            return None
        return read_decision(str(outcome.get("optionId")), request)
