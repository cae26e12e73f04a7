"""From the end of a run to a pull request: asked once, each step recorded before the next.

After a kill at any point `mcode resume` continues: the commit is found on its branch, pushing the
same commit again changes nothing, and an existing pull request of the branch is used.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...config import paths
from ...config.crash_report import describe_error
from ...config.errors import UsageError
from ...config.text import text
from ...memory.threads.pull_requests import OPEN, PullRequestRecord, PullRequestRecords
from ...memory.threads.record import ThreadRow
from ...memory.undo.undo_stack import find_unpublished_entries
from ...nodes.run.dependencies import Dependencies
from ...tools.git.hooks import HooksChangedError
from ..events import Completion, Event, Failure, Interrupted, Notice, PullRequestOpened, Question
from ..interrupt_response import Answer, build_resume_value, match_answers
from .planning import Planner
from .proposal import Proposal, build_question, read_proposal
from .publication import Publication, check_publication

# Outcomes without a pull request
_NOT_KEPT = ("failed", "undone")


class PullRequestFlow:
    """The pull request of one leased thread, during one run."""

    def __init__(self, row: ThreadRow, deps: Dependencies, is_stopping: Callable[[], bool]) -> None:
        self._row, self._deps, self._is_stopping = row, deps, is_stopping
        self._records = PullRequestRecords(paths.locate_database(deps.home))
        self._decision: Mapping[str, Any] | None = None

    def take_answers(self, answers: Sequence[Answer], *, has_message: bool) -> Sequence[Answer]:
        """Keep the answer to our question; return the others.

        Raises OtherQuestionError for an answer to another question. A new message abandons ours.
        """
        record = self._records.find(self._row.thread_id)
        if record is None or record.state != "asked":
            return answers
        if has_message:
            self._forget(record)
        if not answers:
            return answers
        question = build_question(self._row.thread_id, read_proposal(record.proposal), {})
        [(_, answer)] = match_answers(answers, self._row.thread_id[:8], [question])
        self._decision = build_resume_value(answer, question.review_configs)["decisions"][0]
        return ()

    async def follow(self, events: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
        """Yield a run's events, and before its completion those of the pull request."""
        async with aclosing(events):
            async for event in events:
                if not isinstance(event, Completion):
                    yield event
                    continue
                try:
                    async with aclosing(self._finish(event)) as pull_request_events:
                        async for later in pull_request_events:
                            yield later
                except Exception as error:
                    described = describe_error(error, self._deps.home)
                    yield Failure(
                        described.message, described.hint, described.exit_code, self._row.thread_id
                    )

    async def _finish(self, completion: Completion) -> AsyncGenerator[Event]:
        record = await asyncio.to_thread(self._records.find, self._row.thread_id)
        if not await asyncio.to_thread(self._is_wanted, record):
            yield _add_request(completion, record)
            return
        if record is None or record.state not in ("approved", "committed", "pushed"):
            if completion.outcome in _NOT_KEPT:
                yield Notice("no pull request: the result was not kept")
                yield completion
                return
            decided = await self._decide(completion, record)
            if not isinstance(decided, PullRequestRecord):
                yield decided
                if isinstance(decided, Notice):
                    yield _add_request(completion, record)
                return
            record = decided
        record = await self._execute(record)
        if record.state == "asked":
            yield Notice("a git hook changed since the question, so you are asked again")
            proposal = read_proposal(record.proposal)
            yield build_question(self._row.thread_id, proposal, completion.usage)
            return
        if record.state != "done":
            yield Interrupted(self._row.thread_id, usage=completion.usage)
            return
        branch = read_proposal(record.proposal).branch
        yield PullRequestOpened(record.url, branch, record.number)
        yield _add_request(completion, record)

    async def _decide(
        self, completion: Completion, record: PullRequestRecord | None
    ) -> PullRequestRecord | Question | Notice:
        """Return the approved request, the question for it, or why there is none."""
        before = read_proposal(record.proposal) if record and record.proposal else None
        if self._decision and record:
            return await self._take_decision(self._decision, record)
        proposal = await self._plan(completion, record, before)
        if proposal is None:
            if record:
                await asyncio.to_thread(self._forget, record)
            return Notice("no pull request: there are no changes to commit")
        current_record = record or PullRequestRecord(self._row.thread_id, "wanted")
        next_record = current_record.advance("asked", proposal=proposal.to_json())
        if self._is_answered(completion, proposal):
            return await self._save(next_record.advance("approved"))
        await self._save(next_record)
        return build_question(self._row.thread_id, proposal, completion.usage)

    async def _plan(
        self, completion: Completion, record: PullRequestRecord | None, before: Proposal | None
    ) -> Proposal | None:
        """Return the proposal that is open, or a new one if the thread went on since."""
        if record and record.state == "asked" and before:
            last = await asyncio.to_thread(self._deps.history.get_last_entry, self._row.thread_id)
            if last and last.number == before.last_entry:
                return before
        publication = await check_publication(Path(self._row.folder), self._deps.home)
        return await Planner(self._row, self._deps, publication).plan(completion, record)

    async def _take_decision(
        self, decision: Mapping[str, Any], record: PullRequestRecord
    ) -> PullRequestRecord | Notice:
        if decision["type"] == "approve":
            return await self._save(record.advance("approved"))
        await self._save(record.advance("declined"))
        return Notice("no pull request was opened, as you decided; the changes are kept")

    def _is_answered(self, completion: Completion, proposal: Proposal) -> bool:
        """Return whether `--pr=yes` answers: not for an unverified task."""
        proven = completion.outcome == "verified" or completion.graph != "task"
        return self._is_yes() and proven and not proposal.needs_answer

    def _is_yes(self) -> bool:
        return self._row.options.get("pr") == "yes"

    async def _execute(self, record: PullRequestRecord) -> PullRequestRecord:
        """Commit, push and open the request; return early if the user stops the run.

        If a hook is not the one of the question, the record is `asked` again.
        """
        from .execution import Execution

        publication = await check_publication(Path(self._row.folder), self._deps.home)
        proposal = read_proposal(record.proposal)
        if not proposal.goes_to(publication):
            await self._refuse_other_place(record, publication, proposal)
        execution = Execution(publication, proposal, self._locate_checkout())
        try:
            while record.state != "done" and not self._is_stopping():
                try:
                    record = await self._save(await execution.advance(record))
                except HooksChangedError as error:
                    proposal = proposal.with_hooks(error.hooks)
                    record = await self._save(record.advance("asked", proposal=proposal.to_json()))
                    if not self._is_yes() or proposal.needs_answer:
                        break
                    record = await self._save(record.advance("approved"))
                    execution = Execution(publication, proposal, self._locate_checkout())
            return record
        finally:
            await execution.close()

    async def _refuse_other_place(
        self, record: PullRequestRecord, publication: Publication, proposal: Proposal
    ) -> None:
        if record.state == "approved":
            await self._save(record.advance("wanted"))
        now = ", ".join((publication.repository, *publication.shown_addresses))
        asked = ", ".join((proposal.repository, *proposal.push_addresses))
        raise UsageError(
            text(
                "the remote is now `{repository}`, but you were asked about `{asked}`",
                repository=now,
                asked=asked,
            ),
            hint="`mcode resume` asks again, or continues after you restore the remote",
        )

    def _locate_checkout(self) -> Path:
        data = paths.ensure_data_folder(self._deps.home)
        return data / "commits" / self._row.thread_id[:8]

    async def _save(self, record: PullRequestRecord) -> PullRequestRecord:
        await asyncio.to_thread(self._records.save, record)
        return record

    def _is_wanted(self, record: PullRequestRecord | None) -> bool:
        """Return whether there is something to do; a decided proposal is not asked again."""
        if record and record.state in OPEN:
            return True
        if not self._row.options.get("pr"):
            return False
        if record is None:
            return True
        proposal = read_proposal(record.proposal)
        decided = record.entry if record.state == "done" else proposal.last_entry
        history = self._deps.history.list_entries(self._row.thread_id)
        changes = find_unpublished_entries(history, decided)
        return any(record.state == "done" or entry.number > decided for entry in changes)

    def _forget(self, record: PullRequestRecord) -> None:
        """Delete a proposal; a pull request that was opened before stays recorded."""
        if record.number:
            self._records.save(record.advance("done"))
        else:
            self._records.delete(record.thread_id)


def _add_request(completion: Completion, record: PullRequestRecord | None) -> Completion:
    if record is None or not record.number:
        return completion
    branch = read_proposal(record.proposal).branch
    request = {"url": record.url, "branch": branch, "number": record.number}
    return replace(completion, pull_request=request)
