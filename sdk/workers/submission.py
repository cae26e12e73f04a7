"""Tasks for the queue: one, or those of a file of JSON lines, whose results are lines, too."""

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4, uuid5

from ...config.errors import UsageError
from ...config.text import text
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import ThreadRow
from ...nodes.options import Options
from ..graph_registry import TASK
from ..run_request import NewThread, build_task
from ..threads.workspace import locate_clone, resolve_workspace
from .queue import QueuedRun, ThreadJob, ThreadQueue, choose_partition

_NAMESPACE = UUID("6f0e51d8-6d0a-4c39-9f0b-8a3a5b7f1c11")
_FIELDS = ("task", "id", "folder", "workspace", "title", "options")
_PAUSE = 0.5
# How far the clocks of workers may differ, and how many looks come between two that read all ends
_OVERLAP, _FULL_LOOK = timedelta(minutes=1), 20


@dataclass(frozen=True)
class QueuedTask:
    """A task for the queue."""

    request: str
    folder: Path
    options: Options
    workspace: str = ""
    """`URL#REF` of the repository in whose clone it works; empty: in the folder."""
    title: str = ""
    thread_id: str = ""
    name: str = ""
    """What a file of tasks calls it."""
    line: int = 0
    """Its line in a file of tasks; 0: it is in none."""


def submit_task(home: Path, queue: ThreadQueue, task: QueuedTask) -> ThreadRow:
    """Record a task's thread and put it into the queue; safe to repeat with the same ID.

    Raises UsageError for a task that cannot be.
    """
    return submit_tasks(home, queue, [task])[0]


def submit_tasks(home: Path, queue: ThreadQueue, tasks: Sequence[QueuedTask]) -> list[ThreadRow]:
    """Record and queue tasks as `submit_task` does: all of them, or none if one cannot be."""
    resolve = cache(resolve_workspace)
    threads = [_build_thread(task, resolve) for task in tasks]
    index = ThreadIndex(home)
    return [_enqueue(home, index, queue, new) for new in threads]


def _enqueue(home: Path, index: ThreadIndex, queue: ThreadQueue, new: NewThread) -> ThreadRow:
    thread_id = new.thread_id or str(uuid4())
    row = index.find_row(thread_id)
    if row is None:
        row = index.record_thread(
            thread_id=thread_id,
            title=new.title,
            folder=_choose_folder(home, thread_id, new),
            graph=TASK.name,
            request=new.request,
            options=new.options,
        )
        index.set_status(thread_id, "queued")
    queue.enqueue(ThreadJob(thread_id, 1, choose_partition(row), "queued"))
    return row


def _build_thread(task: QueuedTask, resolve: Callable[[str], str]) -> NewThread:
    try:
        return _build_valid_thread(task, resolve)
    except UsageError as error:
        if not task.line:
            raise
        raise _build_line_error(task.line, error.message, error.hint) from error


def _build_valid_thread(task: QueuedTask, resolve: Callable[[str], str]) -> NewThread:
    options = task.options
    if task.workspace:
        options = cast(Options, {**options, "workspace": resolve(task.workspace)})
    elif not task.folder.is_dir():
        raise UsageError(
            text("`{folder}` is not a folder", folder=task.folder), hint="give the project folder"
        )
    return build_task(task.request, task.folder, options, task.title, task.thread_id)


def _choose_folder(home: Path, thread_id: str, new: NewThread) -> str:
    if spec := new.options.get("workspace"):
        return str(locate_clone(home, thread_id, spec))
    return str(new.root)


def read_tasks(lines: Sequence[str], batch: str, default: QueuedTask) -> list[QueuedTask]:
    """Return the tasks of JSON lines; the same batch, place and line is the same thread.

    Raises UsageError, with the number of the line, for one that is not understood.
    """
    tasks = list[QueuedTask]()
    ids = set[str]()
    identities = Counter[str]()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        fields = _parse_line(line, number)
        name = str(fields.get("id", ""))
        if name in ids:
            raise _build_line_error(number, text("the id `{id}` stands twice", id=name))
        ids.update({name} if name else ())
        task = _build_task(fields, number, default)
        origin = task.workspace or os.path.realpath(task.folder)
        identity = f"{batch}\0{origin}\0{name or task.request}"
        identities[identity] += 1
        key = f"{identity}\0{identities[identity]}"
        tasks.append(replace(task, thread_id=str(uuid5(_NAMESPACE, key))))
    return tasks


def _build_task(fields: Mapping[str, Any], number: int, default: QueuedTask) -> QueuedTask:
    """Return the task of a line; a folder of its own holds before the workspace of the batch."""
    folder, workspace = fields.get("folder", ""), fields.get("workspace", "")
    return QueuedTask(
        request=fields["task"],
        folder=Path(folder or default.folder),
        options=cast(Options, {**default.options, **fields.get("options", {})}),
        workspace=workspace or ("" if folder else default.workspace),
        title=fields.get("title", ""),
        name=str(fields.get("id", "")),
        line=number,
    )


def _parse_line(line: str, number: int) -> Mapping[str, Any]:
    try:
        fields: object = json.loads(line)
    except ValueError:
        raise _build_line_error(number, "it is not JSON") from None
    if not isinstance(fields, dict):
        raise _build_line_error(number, "it is no JSON object")
    parsed = cast("dict[str, Any]", fields)
    if unknown := sorted(parsed.keys() - {*_FIELDS}):
        raise _build_line_error(number, text("it has an unknown field `{name}`", name=unknown[0]))
    if not isinstance(parsed.get("task"), str) or not parsed["task"].strip():
        raise _build_line_error(number, "it has no `task`")
    if not isinstance(parsed.get("options", {}), dict):
        raise _build_line_error(number, "its `options` are no JSON object")
    for name in ("id", "folder", "workspace", "title"):
        is_id = name == "id" and type(parsed.get(name)) is int
        if name in parsed and not is_id and not isinstance(parsed[name], str):
            raise _build_line_error(number, text("its `{name}` is no text", name=name))
    if parsed.get("folder") and parsed.get("workspace"):
        raise _build_line_error(number, "it has both `folder` and `workspace`")
    return parsed


def _build_line_error(number: int, reason: str, hint: str = "") -> UsageError:
    fields = ", ".join(f"`{name}`" for name in _FIELDS)
    return UsageError(
        text("line {number} is no task: {reason}", number=number, reason=reason),
        hint=hint or text("its fields are {fields}", fields=fields),
    )


async def follow_tasks(
    queue: ThreadQueue, tasks: Sequence[QueuedTask]
) -> AsyncGenerator[Mapping[str, Any]]:
    """Yield the result of each task when its thread has ended or asks, in the order of the ends.

    Most looks read only the jobs that have ended since; one now and then reads all that have ended,
    because workers have clocks of their own.
    """
    waiting = {task.thread_id: task.name for task in tasks}
    for number in count():
        since = datetime.now(UTC) - _OVERLAP if number % _FULL_LOOK else None
        for run in await asyncio.to_thread(_list_ended, queue, waiting, since):
            name = waiting.pop(run.thread_id)
            fields = {"id": name} if name else {}
            yield {**fields, "thread_id": run.thread_id, "status": run.state, **run.result}
        if not waiting:
            return
        await asyncio.sleep(_PAUSE)


def _list_ended(
    queue: ThreadQueue, threads: Collection[str], since: datetime | None
) -> list[QueuedRun]:
    """Return the last job of each of the threads that has no open one, if it has ended since."""
    last = dict[str, QueuedRun]()
    for run in queue.list_ended(since):
        if run.thread_id in threads:
            last[run.thread_id] = max(last.get(run.thread_id, run), run, key=lambda job: job.run)
    if not last:
        return []
    names = [f"{each.thread_id}:{each.run}" for each in last.values()]
    later = [f"{each.thread_id}:{each.run + 1}" for each in last.values()]
    going_on = {each.thread_id for each in queue.list_runs(ids=later, with_results=False)}
    return [each for each in queue.list_runs(ids=names) if each.thread_id not in going_on]
