"""Plans a pull request: the proposal for what a thread has changed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...config.errors import MaxAgentError
from ...config.text import text
from ...memory.threads.pull_requests import PullRequestRecord
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import HistoryEntry
from ...memory.undo.undo_stack import find_active_entries
from ...nodes.agent.dependencies import Dependencies
from ...tools.git.diff_secrets import find_secrets
from ...tools.git.tree_diff import PATCH_FLAGS, read_diff
from ..events import Completion
from .proposal import MAX_COMMITS, Proposal
from .publication import Publication
from .request_text import build_body, build_branch, build_message, build_request_title
from .thread_changes import ThreadTree, build_thread_tree

# Secrets that an error names
MAX_NAMED = 10


class SecretsFoundError(MaxAgentError):
    """The changes to push contain what looks like secrets."""


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
        thread_tree = await self._build_tree(base, entries)
        if not thread_tree.files:
            return None
        commits = await list_unpushed(self.publication, base)
        await refuse_secrets(self.publication, base, thread_tree.tree)
        proposal = self._build_proposal(completion, base, thread_tree, commits)
        return replace(proposal, last_entry=entries[-1].number, is_first=not before)

    async def _build_tree(self, base: str, entries: list[HistoryEntry]) -> ThreadTree:
        place = self.publication
        return await build_thread_tree(place.git, place.prefix, base, entries, self.deps.snapshots)

    def _build_proposal(
        self, completion: Completion, base: str, thread_tree: ThreadTree, commits: list[str]
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
            commits=tuple(commits[:MAX_COMMITS]),
            push_address=publication.push_address,
        )


def list_own_entries(deps: Dependencies, thread_id: str, after: int) -> list[HistoryEntry]:
    """Return the thread's changes in effect with a number above `after`; it blocks."""
    return find_own_entries(deps.history.list_entries(thread_id), after)


def find_own_entries(entries: Sequence[HistoryEntry], after: int = 0) -> list[HistoryEntry]:
    """Return a thread's changes in effect with a number above `after`."""
    return [entry for entry in find_active_entries(entries) if entry.number > after]


async def list_unpushed(publication: Publication, base: str) -> list[str]:
    """Return the commits up to `base` that the remote does not have, as far as is known here."""
    unpushed = await _build_range(publication, base)
    output = await publication.git.read_text("log", "--format=%h %s", *unpushed)
    return output.split("\n") if output else []


async def refuse_secrets(publication: Publication, base: str, new: str) -> None:
    """Raise SecretsFoundError if what is to be pushed adds a secret; it names no secret.

    That is the difference from `base` to `new`, and the commits before it that are pushed with it.
    """
    diff = await read_diff(publication.git, base, new)
    unpushed = await _build_range(publication, base)
    patches = await publication.git.read("log", *PATCH_FLAGS, "--format=", *unpushed)
    secrets = find_secrets(diff + patches.decode("utf-8", "replace"))
    if not secrets:
        return
    places = "; ".join(
        f"{secret.path}:{secret.line} ({secret.kind})" for secret in secrets[:MAX_NAMED]
    )
    raise SecretsFoundError(
        text("not pushed: the changes contain what looks like a secret: {places}", places=places),
        hint="remove it, then continue the thread",
    )


async def _build_range(place: Publication, base: str) -> list[str]:
    """Return what selects the commits up to `base` that the remote does not have.

    A remote that was never fetched is taken for empty. Where a shallow clone ends, the rest came
    from the remote.
    """
    remotes = dict.fromkeys((place.remotes.push, place.remotes.fetch))
    file = place.git.folder / await place.git.read_text("rev-parse", "--git-path", "shallow")
    ends = (await asyncio.to_thread(file.read_text)).split() if file.exists() else []
    known_commits = [*(f"--remotes={name}" for name in remotes), *ends]
    return ["--ignore-missing", base, "--not", *known_commits]
