"""Plans a pull request: the proposal for what a thread has changed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...memory.threads.pull_requests import PullRequestRecord
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import HistoryEntry
from ...memory.undo.undo_stack import find_active_entries
from ...nodes.run.dependencies import Dependencies
from ...tools.git.hooks import find_hooks
from ...tools.git.isolated_git import IsolatedGit, open_isolated_git
from ..events import Completion
from .proposal import MAX_COMMITS, Proposal
from .publication import Publication
from .publication_search import search_publication
from .request_text import build_body, build_branch, build_message, build_request_title
from .thread_changes import ThreadTree, build_thread_tree


@dataclass(frozen=True)
class Planner:
    """Plans the pull request of one thread."""

    row: ThreadRow
    deps: Dependencies
    publication: Publication

    async def plan(
        self, completion: Completion, record: PullRequestRecord | None
    ) -> Proposal | None:
        """Return the proposal; None if there is nothing to commit.

        `record` is the thread's: changes in its commit are not committed again.
        """
        before, published = (record.commit, record.entry) if record else ("", 0)
        entries = await asyncio.to_thread(
            list_own_entries, self.deps, self.row.thread_id, published
        )
        if not entries:
            return None
        base = before or self.publication.head
        async with open_isolated_git(self.publication.git) as isolated:
            thread_tree = await self._build_tree(isolated, base, entries)
            if not thread_tree.files:
                return None
            proposal = self._build_proposal(completion, base, thread_tree)
            proposal = replace(proposal, last_entry=entries[-1].number, is_first=not before)
            return await self._complete(isolated, proposal)

    async def _build_tree(
        self, isolated: IsolatedGit, base: str, entries: list[HistoryEntry]
    ) -> ThreadTree:
        prefix = self.publication.prefix
        return await build_thread_tree(isolated, prefix, base, entries, self.deps.snapshots)

    async def _complete(self, isolated: IsolatedGit, proposal: Proposal) -> Proposal:
        """Add what is pushed with it and what runs; raises SecretsFoundError."""
        search = await search_publication(
            isolated, self.publication, proposal.base, (proposal.base, proposal.tree)
        )
        search.result.refuse_secrets()
        await asyncio.to_thread(proposal.refuse_secrets)
        hooks = await find_hooks(isolated.repository, isolated.settings)
        return replace(
            proposal.with_hooks(hooks),
            commits=search.commits[:MAX_COMMITS],
            unsearched=search.result.unsearched,
        )

    def _build_proposal(
        self, completion: Completion, base: str, thread_tree: ThreadTree
    ) -> Proposal:
        publication, title = self.publication, build_request_title(self.row)
        return Proposal(
            repository=publication.repository,
            remote=publication.remotes.push,
            branch=build_branch(self.row),
            base_branch=publication.remotes.upstream,
            base=base,
            tree=thread_tree.tree,
            title=title,
            body=build_body(self.row, completion, thread_tree.files),
            message=build_message(title, completion),
            author=publication.author,
            committer=publication.committer,
            files=thread_tree.files,
            diff=thread_tree.diff,
            last_entry=0,
            mixed=thread_tree.mixed,
            whole=thread_tree.whole,
            left_out=thread_tree.left_out,
            push_address=publication.push_address,
            push_addresses=publication.shown_addresses,
        )


def list_own_entries(deps: Dependencies, thread_id: str, after: int) -> list[HistoryEntry]:
    """Return the thread's changes in effect with a number above `after`; it blocks."""
    return find_own_entries(deps.history.list_entries(thread_id), after)


def find_own_entries(entries: Sequence[HistoryEntry], after: int = 0) -> list[HistoryEntry]:
    """Return a thread's changes in effect with a number above `after`."""
    return [entry for entry in find_active_entries(entries) if entry.number > after]
