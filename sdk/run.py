"""One run of one thread: LangGraph's stream as our events, from `run_started` to the last one."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphDrained
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import RunControl
from langgraph.types import Command, StateSnapshot

from ..config import paths
from ..config.crash_report import describe_error
from ..config.errors import UnfinishedTurnError, UsageError
from ..config.text import text
from ..memory.database.connection import translate_sqlite_errors
from ..memory.threads.index import ThreadRow
from ..nodes.events.question import check_decision
from ..nodes.events.union import build_usage
from ..nodes.options import Options, select_lasting
from ..nodes.run.context import Context
from ..nodes.run.dependencies import Dependencies
from ..nodes.state import State, Task
from ..nodes.turn.request_recorder import find_request_log
from ..tools.sandbox.thread_temporary import describe_left_files, list_left_files
from .background import parse_background_events
from .card_uses import count_card_uses
from .events import (
    Event,
    Failure,
    Interrupted,
    Notice,
    Output,
    Progress,
    Question,
    RunStarted,
    Thinking,
    ToolOutput,
    ToolProgress,
    as_json,
    list_questions,
    parse_event,
)
from .interrupt_response import Answer, NoQuestionError, build_resume_value, match_answers
from .outcome import build_completion, find_question, list_plan_responses
from .tracing import disable_tracing

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


PARALLEL_CALLS = 8
# LangGraph's channel of an answer
ANSWERED = "__resume__"
LEFT_FILES = "the sandbox keeps {names} for this thread, in `{folder}`"
_logger = logging.getLogger(__name__)

Graph = CompiledStateGraph[State, Context, Task, State]
Input = Task | Command[str] | None
# Nodes that may come next in a conversation without losing anything: a mode that runs next, or a
# message that was taken back.
AT_REST = frozenset({"__start__", "compact", "build", "plan"})

# Seconds between two looks at the clock, which a suspended computer does not stop, and at a stop
TICK = 0.2
# Seconds between two signs of life
HEARTBEAT = 30.0


@dataclass(frozen=True)
class UserMessage:
    """A user's message to a conversation."""

    text: str
    options: Options
    """Options to change from here on."""
    abandon: bool = False
    """Abandon unfinished work."""


@dataclass(frozen=True)
class ThreadRun:
    """The input of a run: the graph with its saver, the thread, and the user's input."""

    graph: Graph
    row: ThreadRow
    context: Context
    deps: Dependencies
    control: RunControl
    answers: Sequence[Answer]
    """The user's answers to open questions."""
    resumed: bool
    notices: Sequence[str] = ()
    message: UserMessage | None = None
    """The user's message to an existing conversation."""
    crashed: bool = False
    """Whether the previous run crashed: the user has not seen its last progress."""
    wait: bool = False
    """Wait at a provider's limit until it accepts requests again."""
    now: bool = False
    """Ask the provider at once, although its limit is not over."""

    async def stream_events(self) -> AsyncGenerator[Event]:
        """Yield all events; an error is the last event.

        Raises UsageError, before any event, for an answer that does not fit the thread.
        """
        has_events, started, thread = False, time.monotonic(), self.row.thread_id
        _logger.info("run started: thread %s, graph %s", thread, self.graph.name)
        try:
            with translate_sqlite_errors(paths.locate_database(self.deps.home)):
                counted = count_card_uses(self._stream_run(), self.graph.store, self.deps)
                if self.deps.settings.otel.endpoint:
                    from .telemetry.tracing import trace_events

                    counted = trace_events(counted, self.deps.settings.otel, self.graph.name)
                async with aclosing(counted) as events:
                    async for event in events:
                        has_events = True
                        self._log_event(event)
                        yield event
        except GraphDrained as drained:
            reason = "timeout" if drained.reason == "timeout" else "user"
            _logger.info("run interrupted: %s", reason)
            state = await self.graph.aget_state(self._config)
            yield Interrupted(
                self.row.thread_id, reason, usage=build_usage(state.values.get("usage"))
            )
        except Exception as error:
            if not has_events and isinstance(error, UsageError):
                raise
            if not has_events:
                yield self._build_started(self.deps, self.row.options or {})
            yield self._build_failure(error)
        finally:
            self.context.pool.background.release(self.row.thread_id)
            self.context.pool.child_slots.pop(self.row.thread_id, None)
            _logger.info("run ended in %.1f s: thread %s", time.monotonic() - started, thread)

    def _log_event(self, event: Event) -> None:
        """Record the event in the thread's log, where there is one; streamed text is in answers."""
        log = find_request_log(self.deps, self.row.thread_id)
        if log and not isinstance(event, Output | Thinking | ToolOutput | ToolProgress):
            log.log_event(as_json(event))

    async def _stream_run(self) -> AsyncGenerator[Event]:
        state = await self.graph.aget_state(self._config)
        waiting = find_question(self.row.thread_id, state)
        chosen = self._choose_model(state)
        graph_input = self._build_input(state, waiting, chosen)
        options = (
            graph_input.get("options")
            if isinstance(graph_input, dict)
            else state.values.get("options")
        )
        # a kill right after the first checkpoint leaves a state without options
        options_in_effect = options or self.row.options
        yield self._build_started(
            await self.context.pool.open(self.row.folder, options_in_effect, self.context),
            options_in_effect,
        )
        for notice in self.notices:
            yield Notice(notice)
        left_before = await asyncio.to_thread(
            list_left_files, paths.locate_temporary(self.deps.home, self.row.thread_id)
        )
        at_limit = waiting is not None and waiting.kind == "limit"
        answered = (self.answers and not at_limit) or self.message or chosen
        if waiting and not (at_limit or answered) and not await self._can_ask_again(state):
            yield waiting
            return
        if waiting and at_limit and not (answered or self.context.model):
            if self.wait:
                async for progress in wait_for_limit(waiting, self._is_stopping):
                    yield progress
            has_waited = self.wait and not self._is_stopping()
            if compute_time_left(waiting) and not (self.now or has_waited):
                yield waiting
                return
        # not `state.next`, which leaves out a task whose write is pending
        if chosen or self.message or state.tasks or state.created_at is None:
            async with aclosing(self._stream_graph(graph_input)) as events:
                async for event in events:
                    yield event
        if left := await asyncio.to_thread(self._find_left_files, left_before):
            yield Notice(left)
        last = await self._read_last_event()
        for response in list_plan_responses(last, waiting):
            yield response
        yield last

    async def _can_ask_again(self, state: StateSnapshot) -> bool:
        """Return whether the calls that wait for leave can be asked about as they are now.

        Nothing runs then. An answer that a crash kept from counting would count: it is shown again.
        """
        if not state.tasks or any(task.name != "approve" for task in state.tasks):
            return False
        saver = cast("BaseCheckpointSaver[Any]", self.graph.checkpointer)  # pyright: ignore[reportUnknownMemberType]
        stored = await saver.aget_tuple(self._config)
        writes = stored.pending_writes if stored else None
        return all(channel != ANSWERED for _, channel, _ in writes or ())

    def _find_left_files(self, before: Collection[str]) -> str:
        """Say which files the run's commands have left in the sandbox's `/tmp`."""
        folder = paths.locate_temporary(self.deps.home, self.row.thread_id)
        new = list_left_files(folder) - {*before}
        return text(LEFT_FILES, names=describe_left_files(new), folder=folder) if new else ""

    @property
    def _config(self) -> RunnableConfig:
        return {
            "configurable": {"thread_id": self.row.thread_id},
            "max_concurrency": max(PARALLEL_CALLS, self.deps.settings.agents.max_parallel),
        }

    def _is_stopping(self) -> bool:
        return self.control.drain_requested

    def _build_started(self, deps: Dependencies, options: Options) -> RunStarted:
        return RunStarted(
            thread_id=self.row.thread_id,
            title=self.row.title,
            folder=self.row.folder,
            model=deps.model.name,
            mode=deps.policy.mode,
            sandbox=deps.sandbox.state,
            resumed=self.resumed,
            thinking=options.get("thinking") or deps.settings.model.thinking_strategy,
            effort=options.get("effort") or deps.settings.model.effort,
        )

    def _choose_model(self, state: StateSnapshot) -> Options | None:
        """Build the thread's options with the model named for this run; None if it is not new."""
        if not self.context.model:
            return None
        before: Options = state.values.get("options") or self.row.options or {}
        chosen: Options = {**before, "model": self.context.model}
        if self.context.base_url:  # a model and its endpoint are named together
            chosen["base_url"] = self.context.base_url
        chosen.pop("turn_model", None)
        return chosen if chosen != before else None

    def _build_input(
        self, state: StateSnapshot, waiting: Question | None, options: Options | None
    ) -> Input:
        if self.answers:
            self._ensure_asked(waiting)
        if self.message is not None:
            return self._build_task(self.message, state, waiting)
        if state.created_at is None:  # killed before its first checkpoint
            row = self.row
            return Task(request=row.request, folder=row.folder, options=options or row.options)
        resume = self._build_resume(waiting)
        if options:
            # LangGraph applies it before any node; an unanswered question is asked again
            update: dict[str, Any] = {"options": options}
            if state.values.get("fallback"):  # the model named now is the one to ask
                update["fallback"] = ""
            return Command(resume=resume, update=update)
        return Command(resume=resume) if resume else None

    def _build_resume(self, waiting: Question | None) -> dict[str, Any] | None:
        """Build the value for each interrupt; None if nothing waits or there is no answer."""
        if waiting is None:
            return None
        questions = list_questions(waiting)
        if waiting.kind == "limit":  # nothing else waits: limits come last
            turns = max((answer.turns for answer in self.answers), default=0)
            return {question.id: {"turns": turns} if turns else "go on" for question in questions}
        asked = [question for question in questions if question.kind != "limit"]
        matched = match_answers(self.answers, self.row.thread_id[:8], asked)
        resume = {
            question.id: build_resume_value(answer, question.review_configs)
            for question, answer in matched
        }
        return resume or None

    def _build_task(
        self, words: UserMessage, state: StateSnapshot, waiting: Question | None
    ) -> Task:
        """Build the message as input; raises UnfinishedTurnError if work would be lost."""
        if not words.abandon and self._is_under_way(state, waiting):
            thread = self.row.thread_id[:8]
            if state.created_at is None:
                hint = text("start it with `mcode resume {thread}`", thread=thread)
                raise UnfinishedTurnError(
                    text("thread `{thread}` has not started yet", thread=thread), hint=hint
                )
            raise UnfinishedTurnError(
                text(
                    "thread `{thread}` waits for an answer"
                    if waiting
                    else "thread `{thread}` was cut short",
                    thread=thread,
                ),
                hint=text("continue it with `mcode resume {thread}`", thread=thread),
            )
        before: Options = state.values.get("options") or self.row.options or {}
        chosen: Options = {**select_lasting(before), **words.options}
        return Task(request=words.text, folder=self.row.folder, options=chosen)

    def _is_under_way(self, state: StateSnapshot, waiting: Question | None) -> bool:
        """Return whether a call, a question, or an interrupted answer would be lost.

        A limit leaves nothing unfinished; neither does a rewind, a stop, or a failed request.
        """
        if state.created_at is None:
            return True
        if waiting:
            return waiting.kind != "limit"
        at_rest = all(task.name in AT_REST and task.result is None for task in state.tasks)
        return bool(state.tasks) and (self.crashed or not at_rest)

    def _ensure_asked(self, waiting: Question | None) -> None:
        """Raise UsageError if nothing waits for an answer, or a limit for another one."""
        thread = self.row.thread_id[:8]
        if waiting and waiting.kind == "limit":
            for _, answer in match_answers(self.answers, thread, list_questions(waiting)):
                check_decision("limit", (), "approve" if answer.approve else "")
        if waiting is None:
            raise NoQuestionError(
                text("thread `{thread}` has no open question", thread=thread),
                hint=text(
                    "continue it, or see how it ended, with `mcode resume {thread}`", thread=thread
                ),
            )

    async def _stream_graph(self, graph_input: Input) -> AsyncGenerator[Event]:
        with disable_tracing():
            stream = self.graph.astream(  # pyright: ignore[reportUnknownMemberType]
                graph_input,
                self._config,
                context=self.context,
                stream_mode=["custom"],
                version="v2",
                durability="sync",
                control=self.control,
            )
            # closed here: after a stop, nothing of the run still uses the thread
            async with aclosing(cast("AsyncGenerator[dict[str, Any]]", stream)) as parts:
                async for part in parts:
                    for event in self._take_background_events():
                        yield event
                    yield parse_event(part["data"])
        for event in self._take_background_events():
            yield event

    def _take_background_events(self) -> list[Event]:
        commands = self.context.pool.background.find(self.row.thread_id)
        return parse_background_events(commands.take_events()) if commands else []

    async def _read_last_event(self) -> Event:
        state = await self.graph.aget_state(self._config)
        waiting = find_question(self.row.thread_id, state)
        graph = self.graph.name
        return waiting or await build_completion(self.row.thread_id, state, self.deps, graph)

    def _build_failure(self, error: Exception) -> Failure:
        _logger.info("run failed: %s", type(error).__name__)
        description = describe_error(error, self.deps.home)
        return Failure(
            description.message, description.hint, description.exit_code, self.row.thread_id
        )


def compute_time_left(question: Question) -> float:
    """Return the seconds until the provider accepts requests; 0 if it does, or may do so."""
    if question.kind != "limit" or not question.until:
        return 0.0
    return max(0.0, datetime.fromisoformat(question.until).timestamp() - time.time())


async def wait_for_limit(
    question: Question, is_stopping: Callable[[], bool]
) -> AsyncGenerator[Progress]:
    """Wait until the provider accepts requests, or until the run is stopped."""
    total, last_reported = compute_time_left(question), None
    end = time.monotonic() + total  # a clock that is set back makes no wait longer
    while (left := _compute_wait_left(question, end)) and not is_stopping():
        if last_reported is None or last_reported - left >= HEARTBEAT:
            last_reported = left
            yield Progress("wait", done=round(total - left), total=round(total))
        await asyncio.sleep(min(TICK, left))


def _compute_wait_left(question: Question, end: float) -> float:
    return min(compute_time_left(question), max(0.0, end - time.monotonic()))
