"""Execution of an approved proposal, step by step: commit, push, pull request."""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ...memory.threads.pull_requests import PullRequestRecord
from ...tools.git.branch_commit import make_commit, open_commit, push_commit, remove_checkout
from ...tools.git.user_git import UserGit
from ...tools.hosting.api import open_api
from ...tools.hosting.pull_request import HostingApi, NewPullRequest
from ...tools.hosting.push_credentials import build_credentials
from .planning import refuse_secrets
from .proposal import Proposal
from .publication import Publication


@dataclass
class Execution:
    """Executes one proposal; each `advance` is one step that can be repeated."""

    place: Publication
    proposal: Proposal
    checkout: Path
    """Folder in which the commit is made."""
    _closing: AsyncExitStack = field(default_factory=AsyncExitStack)
    _git: UserGit | None = None

    async def advance(self, record: PullRequestRecord) -> PullRequestRecord:
        """Take the next step and return the record after it; raises GitError or HostingError."""
        try:
            match record.state:
                case "approved":
                    commit = await make_commit(await self._open(), self.proposal.to_commit())
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

    async def _open(self) -> UserGit:
        if self._git is None:
            opened = open_commit(self.place.git, self.checkout, self.proposal.to_commit())
            self._git = await self._closing.enter_async_context(opened)
        return self._git

    async def _push(self, commit: str) -> None:
        """Push, after a search for secrets in the commit as the hooks left it."""
        await refuse_secrets(self.place, self.proposal.base, commit)
        api = self._open_api()
        try:
            default = await api.read_default_branch()
        finally:
            await api.close()
        protected = {default, self.proposal.base_branch, self.place.remotes.upstream}
        await push_commit(
            await self._open(),
            self.proposal.remote,
            commit,
            self.proposal.branch,
            protected=protected,
            credentials=await build_credentials(
                self.place.git, self.place.login, self.place.remotes.push_url
            ),
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
