"""Access to an endpoint whose address and headers are known only when a request is sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Initiator = Literal["user", "agent"]


@dataclass(frozen=True)
class Access:
    """Where one request goes, and with which headers."""

    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


class AccessSource(Protocol):
    """Tokens that end while a conversation goes on."""

    @property
    def hints(self) -> Mapping[int, str]:
        """Return what to do after an error of that status."""
        ...

    async def get_access(self, initiator: Initiator) -> Access:
        """Return the access for a request that is sent now; raises MaxAgentError."""
        ...

    async def renew_access(self, rejected: Access, initiator: Initiator) -> Access | None:
        """Return another access after status 401; None if there is none."""
        ...
