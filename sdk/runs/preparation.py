"""The preparation of a run: its input is checked, and its thread found or made."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast
from uuid import uuid4

from ...config.errors import ThreadBusyError
from ...config.security.redaction import redact
from ...config.settings.policy_file import load_managed_policy
from ...config.text import text
from ...config.trust.decision import grant_if_empty
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import ThreadRow
from ...nodes.options import Options, select_lasting
from ...nodes.run.agent import open_agent
from ...nodes.run.context import Context
from ...nodes.run.dependency_pool import DependencyPool
from ...nodes.run.modes import choose_next_agent
from ..events import Question
from ..graph_registry import find_job, needs_tests
from ..interrupt_response import Answer
from ..outcome import describe_question
from ..prepared_run import PreparedRun, open_with_model
from ..run import UserMessage
from ..run_request import (
    NewThread,
    build_chat_options,
    list_attempt_options,
    validate_conversation,
    validate_request,
)
from ..startup_notices import collect_notices, collect_setting_notices, collect_standing_notices
from ..tested_file import choose_first_agent
from ..threads.open_questions import list_open_questions
from ..threads.workspace import is_cloned, open_workspace


@dataclass(frozen=True)
class RunPreparation:
    """Prepares the runs of one Runner; its exceptions come before any event."""

    home: Path
    pool: DependencyPool
    threads: ThreadIndex
    load_current_options: Callable[[ThreadRow], Awaitable[ThreadRow]]

    async def prepare_thread(self, build: Callable[[], NewThread], context: Context) -> PreparedRun:
        """Record the thread of a new job."""
        new = await asyncio.to_thread(build)
        new = replace(new, options=self._choose_model(new.options))
        job, root = new.job, new.root
        await asyncio.to_thread(grant_if_empty, root, self.home)
        await self.pool.reload_if_changed(str(root))
        # a wrong folder, model, script or configuration is reported before a thread exists
        for attempt_options in list_attempt_options(new.options):
            await open_with_model(self.pool, str(root), attempt_options, context)
        options, deps = await open_with_model(self.pool, str(root), new.options, context)
        if named := options.get("speaker") or options.get("agent", ""):
            deps.agents.find_primary_agent(named)
        first = await choose_first_agent(job, options, deps)
        await asyncio.to_thread(open_agent, deps, named or first)
        row = await asyncio.to_thread(
            self.threads.record_thread,
            thread_id=new.thread_id or str(uuid4()),
            title=new.title,
            folder=str(root),
            graph=job.name,
            request=new.request,
            options=options,
            name=new.name,
        )
        sent = [new.request, *options.get("aside", ())]
        notices = await asyncio.to_thread(collect_setting_notices, deps)
        notices += collect_notices(root, self.threads.set_aside, sent)
        notices += await asyncio.to_thread(delete_expired, self.threads, row.thread_id)
        notices += collect_standing_notices(deps, tests=needs_tests(job, options))
        return PreparedRun(row, context, notices, resumed=False)

    async def prepare_turn(
        self,
        thread: str,
        message: str,
        options: Options | None,
        agent: str,
        abandon: bool,
        context: Context,
    ) -> PreparedRun:
        """Prepare a message to a conversation."""
        row, message = self.threads.find(thread), redact(message)
        validate_request(message, Path(row.folder))
        validate_conversation(row)
        row = await asyncio.to_thread(open_workspace, row, self.home)
        await self.pool.reload_if_changed(row.folder)
        overrides = build_chat_options(options, agent)
        row = await self.load_current_options(row)
        if not cast(Options, row.options).get("model"):
            overrides = self._choose_model(overrides)
        lasting = select_lasting(cast(Options, row.options))
        merged, deps = await open_with_model(
            self.pool, row.folder, cast(Options, {**lasting, **overrides}), context
        )
        if served := merged.get("served_model"):
            overrides["served_model"] = served
        row = replace(row, options=merged)
        if named := agent or (options or {}).get("agent", ""):
            deps.agents.find_primary_agent(named)
        # a wrong agent is reported before the message is kept
        await asyncio.to_thread(open_agent, deps, choose_next_agent(row.options))
        notices = collect_standing_notices(deps, tests=False)
        return PreparedRun(row, context, notices, message=UserMessage(message, overrides, abandon))

    async def prepare_resume(
        self, thread: str, answers: Sequence[Answer], wait: bool, now: bool, context: Context
    ) -> PreparedRun:
        """Prepare the continuation of a thread.

        A repository is not cloned to show a question: that is in the checkpoint.
        """
        row = self.threads.find(thread)
        if not (answers or wait or now or context.model or context.mode):
            asked = await asyncio.to_thread(find_distant_question, row, self.home)
            if asked:
                return PreparedRun(row, context, [], asked=asked)
        row = await asyncio.to_thread(open_workspace, row, self.home)
        row = await self.load_current_options(row)
        notices = list[str]()
        if not any(answer.question for answer in answers):  # else this runner asked: it goes on
            await self.pool.reload_if_changed(row.folder)
            deps = await self.pool.open(row.folder, row.options, context)
            if not deps.model.model:
                from ...models.served_models import find_served_model

                context = replace(context, model=await find_served_model(deps.model))
                deps = await self.pool.open(row.folder, row.options, context)
            notices = collect_standing_notices(
                deps, tests=needs_tests(find_job(row.graph), row.options)
            )
        return PreparedRun(row, context, notices, answers=answers, wait=wait, now=now)

    def _choose_model(self, options: Options) -> Options:
        """Return the options with the program's model, unless they name another."""
        name = self.pool.program_model_name
        return {**options, "model": name} if name and not options.get("model") else options


def find_distant_question(row: ThreadRow, home: Path) -> Question | None:
    """Return the open question of a thread whose clone is not on this machine, with all others.

    None for a limit, at which the run itself knows whether to wait. Blocks.
    """
    if is_cloned(row, home):
        return None
    questions = list_open_questions(row, home)
    first = next((each for each in questions if each.kind != "limit"), None)
    if first is None:
        return None
    ordered = [first, *(each for each in questions if each is not first)]
    numbered = [
        replace(each, position=position, count=len(ordered))
        for position, each in enumerate(ordered, 1)
    ]
    return replace(numbered[0], others=[describe_question(each) for each in numbered[1:]])


def delete_expired(threads: ThreadIndex, new: str) -> list[str]:
    """Delete them, but for the `new` thread; return a notice if there were any. Blocks."""
    policy = load_managed_policy()
    if policy is None:
        return []
    from ...memory.threads.retention import find_deletion_limit

    count, limit = 0, find_deletion_limit()
    for row in threads.list(before=limit) if limit else ():
        with suppress(ThreadBusyError):
            if row.thread_id != new and row.status != "running":
                threads.delete(row.thread_id)
                count += 1
    if not count:
        return []
    return [
        text(
            "the policy ({place}) keeps threads for {days} days; deleted: {count}",
            place=policy.locate("retention", "delete_days"),
            days=f"{policy.keys.retention.delete_days:g}",
            count=count,
        )
    ]
