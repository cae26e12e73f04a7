"""Execution of an approved proposal, step by step: commit, push, pull request."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ...config.errors import UsageError
from ...config.text import text
from ...memory.threads.pull_requests import PullRequestRecord
from ...tools.git.branch_commit import make_commit, open_commit, push_commit, remove_checkout
from ...tools.git.hooks import GitHooks, find_hooks
from ...tools.git.isolated_git import IsolatedGit, open_isolated_git
from ...tools.git.user_git import UserGit
from ...tools.hosting.api import open_api
from ...tools.hosting.pull_request import HostingApi, NewPullRequest
from ...tools.hosting.push_credentials import build_credentials
from .proposal import Proposal
from .publication import Publication, search_publication


@dataclass
class Execution:
    """Executes one proposal; each `advance` is one step that can be repeated."""

    place: Publication
    proposal: Proposal
    checkout: Path
    """Folder in which the commit is made."""
    _closing: AsyncExitStack = field(default_factory=AsyncExitStack)
    _isolated: IsolatedGit | None = None
    _git: UserGit | None = None

    async def advance(self, record: PullRequestRecord) -> PullRequestRecord:
        """Take the next step and return the record after it; raises GitError or HostingError."""
        try:
            match record.state:
                case "approved":
                    commit = await self._commit()
                    last = self.proposal.last_entry
                    return record.advance("committed", commit=commit, entry=last)
                case "committed":
                    await self._push(record.commit)
                    return record.advance("pushed")
                case _:
                    return await self._request(record)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Remove the checkout, also one that a kill has left; the branch stays."""
        await self._closing.aclose()
        await remove_checkout(self.place.git, self.checkout)

    async def _isolate(self) -> IsolatedGit:
        if self._isolated is None:
            opened = open_isolated_git(self.place.git)
            self._isolated = await self._closing.enter_async_context(opened)
        return self._isolated

    async def _open(self) -> UserGit:
        if self._git is None:
            isolated = await self._isolate()
            opened = open_commit(isolated, self.checkout, self.proposal.to_commit())
            self._git = await self._closing.enter_async_context(opened)
        return self._git

    async def _find_hooks(self) -> GitHooks:
        """Return the hooks; raises UsageError if they are not those of the question."""
        isolated = await self._isolate()
        hooks = await find_hooks(isolated.repository, isolated.settings)
        await hooks.check(self.proposal.hooks)
        return hooks

    async def _commit(self) -> str:
        isolated, hooks = await self._isolate(), await self._find_hooks()
        return await make_commit(isolated, await self._open(), hooks, self.proposal.to_commit())

    async def _push(self, commit: str) -> None:
        """Push, after a search for secrets in the commit as the hooks left it."""
        isolated, hooks = await self._isolate(), await self._find_hooks()
        search = await search_publication(isolated, self.place, self.proposal.base, (commit,))
        search.result.refuse_secrets()
        self.proposal.refuse_secrets()
        self._refuse_unsearched(search.result.unsearched)
        api = self._open_api()
        try:
            default = await api.read_default_branch()
        finally:
            await api.close()
        protected = {default, self.proposal.base_branch, self.place.remotes.upstream}
        branch = self.proposal.branch
        reference = f"refs/heads/{branch}"
        for address in self.place.addresses:
            before = search.remotes[address.url].listed.get(reference, "0" * len(commit))
            if before == commit:
                continue
            await hooks.run_before_push(
                await self._open(),
                self.proposal.remote,
                address.url,
                (reference, commit, reference, before),
            )
            credentials = await build_credentials(isolated.git, self.place.login, address.url)
            await push_commit(
                isolated, address, commit, branch, protected=protected, credentials=credentials
            )

    def _refuse_unsearched(self, unsearched: Sequence[str]) -> None:
        """Raise UsageError for what was not searched and was not in the question."""
        if new := [name for name in unsearched if name not in self.proposal.unsearched]:
            raise UsageError(
                text("not searched for secrets: {files}", files=", ".join(new)),
                hint="a hook may have added it; nothing was pushed",
            )

    async def _request(self, record: PullRequestRecord) -> PullRequestRecord:
        """Return the branch's pull request, or open one."""
        await self.close()  # before the last step is on record: then nothing looks for it
        api = self._open_api()
        try:
            pull_request = await api.find_pull_request(self.proposal.branch)
            # an earlier one that was merged or closed is not the one for a later commit
            if pull_request is None or (record.number and not pull_request.is_open):
                base = self.proposal.base_branch or await api.read_default_branch()
                new = NewPullRequest(
                    self.proposal.title, self.proposal.body, self.proposal.branch, base
                )
                pull_request = await api.create_pull_request(new)
        finally:
            await api.close()
        return record.advance("done", number=pull_request.number, url=pull_request.url)

    def _open_api(self) -> HostingApi:
        return open_api(self.place.login, self.place.target, self.place.source)
