"""Pull requests on both hosts; GitLab's merge requests are pull requests, too."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class PullRequest:
    """A pull request that exists on a host."""

    number: int
    url: str
    base: str = ""
    """Branch that it is to be merged into."""
    title: str = ""
    is_open: bool = True
    """Neither merged nor closed."""


@dataclass(frozen=True)
class NewPullRequest:
    """A pull request to create."""

    title: str
    body: str
    branch: str
    base: str


class HostingApi(Protocol):
    """The API of one repository on its host; every method raises HostingError."""

    async def read_default_branch(self) -> str:
        """Return the repository's default branch."""
        ...

    async def find_pull_request(self, branch: str) -> PullRequest | None:
        """Return the pull request of a branch, an open one first; None if there is none."""
        ...

    async def read_pull_request(self, number: int) -> PullRequest:
        """Return a pull request by its number."""
        ...

    async def create_pull_request(self, new: NewPullRequest) -> PullRequest:
        """Create a pull request."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
