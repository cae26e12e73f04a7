"""Plans a pull request: the proposal for what a thread has changed."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...config.security.control_characters import HIDDEN_CHARACTER
from ...config.security.redaction import redact
from ...memory.threads.pull_requests import PullRequestRecord
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import HistoryEntry
from ...memory.undo.undo_stack import find_unpublished_entries
from ...nodes.run.dependencies import Dependencies
from ...tools.git.branch_commit import BRANCHES
from ...tools.git.hooks import find_hooks
from ...tools.git.isolated_git import IsolatedGit, open_isolated_git
from ..events import Completion
from .proposal import MAX_COMMITS, Proposal
from .publication import Publication, search_publication
from .thread_changes import ThreadTree, build_thread_tree

MAX_TITLE = 72
MAX_SLUG = 40
MAX_SUMMARY = 8_000
MAX_FILES = 200
_CONTROLS = re.compile(rf"(?:\x1b\[[0-?]*[ -/]*[@-~])|{HIDDEN_CHARACTER}")


def build_branch(row: ThreadRow) -> str:
    """Return the branch's name: `mcode/SLUG-ID`."""
    words = re.sub(r"[^a-z0-9]+", "-", _clean_line(row.title).lower()).strip("-")
    slug = words[:MAX_SLUG].rpartition("-")[0] if len(words) > MAX_SLUG else words
    return f"{BRANCHES}{slug or words[:MAX_SLUG] or 'thread'}-{row.thread_id[:8]}"


def build_request_title(row: ThreadRow) -> str:
    """Return the request's title, which is the commit's subject, too."""
    title = _clean_line(row.title) or "Changes"
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…"


def build_message(title: str, completion: Completion) -> str:
    """Return the commit's message; no trailer is added."""
    summary = _cut_summary(completion)
    return f"{title}\n\n{summary}\n" if summary else f"{title}\n"


def build_body(row: ThreadRow, completion: Completion, files: Sequence[Mapping[str, str]]) -> str:
    """Return the request's text: summary, evidence, files and thread, without secrets."""
    parts = list[str]()
    if summary := _cut_summary(completion):
        parts.append(f"## Summary\n\n{summary}")
    parts.append(f"## Tests\n\n{_describe_evidence(completion)}")
    file_lines = [f"- `{file['path']}` ({file['kind']})" for file in files[:MAX_FILES]]
    if len(files) > MAX_FILES:
        file_lines.append(f"- and {len(files) - MAX_FILES} more")
    parts.append("## Files\n\n" + "\n".join(file_lines))
    parts.append(f"Made with MaxAgent, thread `{row.thread_id}`.")
    return redact(_remove_controls("\n\n".join(parts)))


def _cut_summary(completion: Completion) -> str:
    """Return the summary without secrets; it is cut after that, since half of one has no shape."""
    return _remove_controls(redact(completion.summary.strip()))[:MAX_SUMMARY]


def _describe_evidence(completion: Completion) -> str:
    evidence = completion.evidence
    if not evidence or completion.outcome != "verified":
        return "Not verified by tests."
    counts = [
        f"{evidence[name]} {name}"
        for name in ("passed", "failed", "errors", "skipped")
        if evidence.get(name) is not None
    ]
    summary = ", ".join(counts) or "exit code 0"
    return f"`{evidence['command']}`: {summary}."


def _clean_line(line: str) -> str:
    return _remove_controls(" ".join(redact(line).split()))


def _remove_controls(words: str) -> str:
    """Return foreign text that controls no terminal: others read it with `git log`."""
    return _CONTROLS.sub("", words)


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
        history = await asyncio.to_thread(self.deps.history.list_entries, self.row.thread_id)
        entries = find_unpublished_entries(history, published)
        if not entries:
            return None
        base = before or self.publication.head
        async with open_isolated_git(self.publication.git) as isolated:
            thread_tree = await self._build_tree(isolated, base, entries)
            if not thread_tree.files:
                return None
            proposal = self._build_proposal(completion, base, thread_tree)
            last = max(entry.number for entry in history if entry.state == "done")
            proposal = replace(proposal, last_entry=last, is_first=not before)
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
