"""What a pull request is to both hosts; a merge request of GitLab is one, too."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class PullRequest:
    """A request that a host has."""

    number: int
    url: str
    base: str = ""
    """Branch that it is to be merged into."""
    title: str = ""


@dataclass(frozen=True)
class NewPullRequest:
    """A request to create."""

    title: str
    body: str
    branch: str
    base: str


class HostingApi(Protocol):
    """The API of one repository on its host; every method raises HostingError."""

    async def read_default_branch(self) -> str:
        """Return the repository's default branch."""
        ...

    async def find_request(self, branch: str) -> PullRequest | None:
        """Return the request from a branch, an open one first; None if there is none."""
        ...

    async def read_request(self, number: int) -> PullRequest:
        """Return a request by its number."""
        ...

    async def create_request(self, new: NewPullRequest) -> PullRequest:
        """Create a request."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
