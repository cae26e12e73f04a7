"""What the page asks the server for: threads, messages, answers, files, steps."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ... import __version__
from ...config.errors import UsageError
from ...config.security.redaction import redact
from ...config.text import text
from ...memory.threads.record import ThreadRow
from ...memory.threads.thread_id import create_thread_id, is_thread_id
from ...sdk.events import Event, Question
from ...sdk.interrupt_response import Answer
from ...sdk.streams.history import describe_entry, describe_thread, read_history
from ...sdk.streams.thread_streams import ThreadStreams
from ...sdk.threads.children import find_child
from ...sdk.threads.open_questions import list_open_questions
from ...sdk.threads.transcript import read_child_transcript
from ..i18n.catalogs import get_language
from ..i18n.message_translation import translate
from ..rendering.tool_summary import VERBS
from .event_source import read_last_id, respond_with_events
from .page_words import collect_words, translate_entries, translate_message
from .question_cards import describe_question, read_answer
from .request_body import (
    as_object,
    read_answers,
    read_checkpoint,
    read_context,
    read_object,
    read_options,
    require_folder,
    require_number,
    require_text,
)

if TYPE_CHECKING:
    from ...memory.undo.restore_plan import Conflict
    from ...sdk.runner import Runner

MAX_THREADS = 500
GRAPHS = ("chat", "task")


class NotFoundError(UsageError):
    """There is no such thread."""


class QuestionClosedError(UsageError):
    """The question is no longer open."""


class Api:
    """Answers the requests of the page."""

    def __init__(self, streams: ThreadStreams, folder: Path) -> None:
        """`folder` is where new threads work, unless another one is chosen."""
        self._streams, self._folder = streams, folder
        self.home, self._threads = streams.home, streams.threads

    async def describe_server(self, request: Request) -> Response:
        """Return the words of the page, and what new threads can be given."""
        from ..acp.config_options import MODES, Choices

        folders = await self.list_folders()
        asked_id = request.query_params.get("folder")
        folder = require_folder(asked_id) if asked_id else self._folder
        environ = {**os.environ, "MAXAGENT_HOME": str(self.home)}
        choices = await asyncio.to_thread(Choices, folder, self.home, environ)
        return JSONResponse(
            {
                "version": __version__,
                "language": get_language(),
                "words": collect_words(),
                "verbs": VERBS,
                "folder": str(folder),
                "folders": folders,
                "modes": MODES,
                "mode": choices.mode,
                "models": choices.models,
                "model": choices.model,
            }
        )

    async def list_folders(self) -> list[str]:
        """Return the folder of the server, and those of all threads."""
        folders = await asyncio.to_thread(self._threads.list_folders)
        return list(dict.fromkeys([str(self._folder), *folders]))

    async def list_threads(self, request: Request) -> Response:
        """Return the threads, the last used first; with `q` those that have its words."""
        query = request.query_params.get("q", "").strip()
        search = self._threads.search
        if query:
            rows = (await asyncio.to_thread(search, query))[:MAX_THREADS]
        else:
            rows = await asyncio.to_thread(self._threads.list, limit=MAX_THREADS)
        return JSONResponse({"threads": [describe_thread(row) for row in rows]})

    async def read_thread(self, request: Request) -> Response:
        """Return a thread with its entries."""
        row = await self._find(request)
        history = await asyncio.to_thread(read_history, row, self.home)
        is_running = self._streams.is_running(row.thread_id)
        return JSONResponse({**history, "is_running": is_running})

    async def read_child(self, request: Request) -> Response:
        """Return the entries of one of the thread's sub-agents."""
        row, agent = await self._find(request), request.path_params["agent"]
        child = await asyncio.to_thread(find_child, row, self.home, agent)
        entries = await asyncio.to_thread(read_child_transcript, row, self.home, child)
        described = [describe_entry(entry) for entry in entries if entry.kind != "question"]
        return JSONResponse({"entries": translate_entries(described)})

    async def stream_events(self, request: Request) -> Response:
        """Stream the events of a thread."""
        after = read_last_id(request)
        if after:  # a run that a crash has ended goes on soon: it has not stopped
            await self._streams.are_resumed.wait()
        row = await self._find(request)
        stream = await self._streams.open(row.thread_id)
        messages = stream.follow(after, from_start="since" not in request.query_params)
        return respond_with_events(messages, translate_message)

    async def list_questions(self, request: Request) -> Response:
        """Return what the thread waits for."""
        row = await self._find(request)
        questions = await asyncio.to_thread(list_open_questions, row, self.home)
        return JSONResponse({"questions": [describe_question(each) for each in questions]})

    async def create_thread(self, request: Request) -> Response:
        """Begin a conversation or a task."""
        thread_id = create_thread_id()
        after = await self.begin(thread_id, await read_object(request))
        return JSONResponse({"thread_id": thread_id, "after": after}, 202)

    async def begin(
        self, thread_id: str, body: Mapping[str, Any], context: Sequence[str] = ()
    ) -> int:
        """Begin a new thread with what is asked for; `context` is shown with the message.

        Returns the number after which its events follow.
        """
        message, graph = require_text(body, "text"), body.get("graph", "chat")
        if graph not in GRAPHS:
            raise UsageError(
                text("there is no kind of thread `{graph}`", graph=graph),
                hint=text("there are: {names}", names=", ".join(GRAPHS)),
            )
        folder = require_folder(body["folder"]) if "folder" in body else self._folder
        options = read_options(body, context)

        def start(runner: "Runner") -> AsyncGenerator[Event]:
            begin = runner.chat if graph == "chat" else runner.task
            return begin(message, folder=folder, options=options, thread_id=thread_id)

        return await self._streams.begin(thread_id, start, message)

    async def send_message(self, request: Request) -> Response:
        """Send a message: to the run that goes on, or as the next turn of a conversation."""
        row, body = await self._find(request), await read_object(request)
        message = require_text(body, "text")
        if self._streams.is_running(row.thread_id):
            runner = await self._streams.open_runner()
            return JSONResponse({"id": runner.steer(row.thread_id, message)}, 202)
        return JSONResponse({"after": await self.say(row, body)}, 202)

    async def say(
        self, row: ThreadRow, body: Mapping[str, Any], context: Sequence[str] = ()
    ) -> int:
        """Begin the next turn of a conversation."""
        message, options = require_text(body, "text"), read_options(body, context)
        return await self._streams.say(row.thread_id, message, options)

    async def answer_question(self, request: Request) -> Response:
        """Answer one open question by its choices, or some by the answers of the SDK."""
        row, body = await self._find(request), await read_object(request)
        if "answers" in body:
            answers = read_answers(body["answers"])
            after = await self._resume(row, lambda runner: runner.resume(row.thread_id, answers))
            return JSONResponse({"after": after}, 202)
        asked_id, choices = require_text(body, "question"), body.get("choices")
        questions = await asyncio.to_thread(list_open_questions, row, self.home)
        question = next((each for each in questions if each.id == asked_id), None)
        if question is None:
            raise QuestionClosedError(
                "the question is not open: it was answered already",
                hint="the page shows what is open now",
            )
        if not isinstance(choices, list):
            raise UsageError("`choices` must be a list", hint="give one for each request")
        chosen = [as_object(each) for each in cast("list[Any]", choices)]
        answer = await asyncio.to_thread(read_answer, question, chosen)
        return JSONResponse({"after": await self.give_answers(row, [(question, answer)])}, 202)

    async def give_answers(self, row: ThreadRow, pairs: Sequence[tuple[Question, Answer]]) -> int:
        """Go on with a thread by answers to its questions."""
        answers = [answer for _, answer in pairs]
        after = await self._resume(row, lambda runner: runner.resume(row.thread_id, answers))
        for question, answer in pairs:
            await self._publish_edits(row, question, answer)
        return after

    async def _publish_edits(self, row: ThreadRow, question: Question, answer: Answer) -> None:
        """Tell all pages with which arguments an edited call runs: they have the model's."""
        stream = await self._streams.open(row.thread_id)
        for request, decision in zip(question.action_requests, answer.decisions, strict=False):
            if decision["type"] == "edit" and (call_id := request.get("tool_call_id")):
                args = decision["edited_action"]["args"]
                await stream.publish_fact("call_edited", {"id": call_id, "args": args})

    async def resume_thread(self, request: Request) -> Response:
        """Go on with a thread that was stopped."""
        row, body = await self._find(request), await read_object(request)
        wait, now = body.get("wait") is True, body.get("now") is True
        context = read_context(body)

        def start(runner: "Runner") -> AsyncGenerator[Event]:
            return runner.resume(row.thread_id, context=context, wait=wait, now=now)

        return JSONResponse({"after": await self._resume(row, start)}, 202)

    async def _resume(
        self, row: ThreadRow, start: "Callable[[Runner], AsyncGenerator[Event]]"
    ) -> int:
        return await self._streams.begin(row.thread_id, start)

    async def stop_thread(self, request: Request) -> Response:
        """Stop a run that this server has begun, at once."""
        row = await self._find(request)
        stopped = self._streams.stop(row.thread_id)
        if not stopped and row.status == "running":
            raise UsageError(
                "another program runs the thread", hint="stop it there, such as with Ctrl-C"
            )
        await self._streams.wait(row.thread_id)
        await self._streams.report_change(row.thread_id)
        return JSONResponse({"stopped": stopped})

    async def list_files(self, request: Request) -> Response:
        """Return the files that the thread has changed, and the changes as a diff."""
        from ...sdk.threads.file_changes import read_file_changes
        from ...sdk.threads.file_history import open_recorded_files

        row = await self._find(request)
        changes = await asyncio.to_thread(read_file_changes, row, self.home)
        files = await asyncio.to_thread(open_recorded_files, row, self.home)
        can_undo, can_redo = await asyncio.to_thread(files.list_restorable)
        facts = {
            "files": [asdict(change) for change in changes],
            "diff": redact(await files.diff()),
            "can_undo": can_undo,
            "can_redo": can_redo,
        }
        return JSONResponse(facts)

    async def undo(self, request: Request) -> Response:
        """Undo the last turn's changes of files, or with `path` all changes of one file."""
        row, body = await self._find(request), await read_object(request)
        return await self._restore(row, "undo", [require_text(body, "path")] if body else [])

    async def redo(self, request: Request) -> Response:
        """Redo what was undone last."""
        return await self._restore(await self._find(request), "redo")

    async def _restore(
        self, row: ThreadRow, kind: Literal["undo", "redo"], paths: Sequence[str] = ()
    ) -> Response:
        from ...sdk.threads.file_history import open_leased_files

        with open_leased_files(row, self.home) as files:
            await files.finish_interrupted()
            pending = await files.plan_restore(kind, paths=paths)
            if pending is None:
                return JSONResponse({"files": [], "conflicts": []})
            pending = await pending.resolve_doubtful(ours=False)
            result = await pending.apply()
        await self._streams.report_change(row.thread_id)
        files_changed = [change.path for change in pending.plan.changes]
        return JSONResponse(
            {"files": files_changed, "conflicts": _describe_conflicts(result.conflicts)}
        )

    async def list_steps(self, request: Request) -> Response:
        """Return the tree of a thread: its steps, those that a rewind has left, and forks."""
        from ...sdk.threads.steps import summarize_branches

        row = await self._find(request)
        branches = await asyncio.to_thread(summarize_branches, row, self.home)
        current, *abandoned = [asdict(branch) for branch in branches]
        forks = await asyncio.to_thread(self._threads.list_forks, row.thread_id)
        origin = await asyncio.to_thread(self._threads.find_row, row.parent)
        tree = {
            "steps": current["steps"],
            "abandoned": abandoned,
            "forks": [describe_thread(each) for each in forks],
            "origin": [describe_thread(origin)] if origin else [],
        }
        return JSONResponse(tree)

    async def rewind(self, request: Request) -> Response:
        """Go back to a step: with the files, the conversation, or both."""
        from ...sdk.threads.rollback import open_rollback

        row, body = await self._find(request), await read_object(request)
        step, files = require_number(body, "step"), body.get("files", True) is True
        at = read_checkpoint(body)
        async with open_rollback(
            row, self.home, step, files=files, talk=True, checkpoint_id=at
        ) as plan:
            result = await plan.apply()
        await self._streams.report_change(row.thread_id)
        conflicts = result.conflicts if result else ()
        return JSONResponse({"conflicts": _describe_conflicts(conflicts)})

    async def fork(self, request: Request) -> Response:
        """Make a new thread with all up to a step."""
        from ...sdk.threads.steps import find_step
        from ...sdk.threads.time_travel import fork

        row, body = await self._find(request), await read_object(request)
        number = require_number(body, "step")
        at = read_checkpoint(body)
        step = await asyncio.to_thread(find_step, row, self.home, number, at)
        forked = await fork(row, self.home, step)
        return JSONResponse({"thread_id": forked.thread_id})

    async def set_title(self, request: Request) -> Response:
        """Rename a thread."""
        row, body = await self._find(request), await read_object(request)
        name = require_text(body, "name")
        await asyncio.to_thread(self._threads.rename, row.thread_id, name)
        return JSONResponse({})

    async def _find(self, request: Request) -> ThreadRow:
        thread_id = request.path_params["thread"]
        find = self._threads.find_row
        if is_thread_id(thread_id) and (row := await asyncio.to_thread(find, thread_id)):
            return row
        raise NotFoundError("there is no such thread", hint="it may have been deleted")


def _describe_conflicts(conflicts: "Sequence[Conflict]") -> list[dict[str, str]]:
    return [{"path": each.path, "reason": translate(each.reason)} for each in conflicts]
