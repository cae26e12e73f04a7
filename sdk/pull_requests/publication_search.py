"""The search for secrets before a push: against every address, as each says itself what it has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...tools.git.isolated_git import IsolatedGit
from ...tools.git.object_scan import (
    FoundSecret,
    RemoteState,
    ScanResult,
    list_unpushed,
    read_remote,
    scan_objects,
)
from ...tools.git.push_addresses import PushAddress, pin_addresses
from ...tools.hosting.push_credentials import build_credentials
from .publication import Publication


@dataclass(frozen=True)
class PublicationSearch:
    """What would be pushed, and what the search found in it."""

    result: ScanResult = field(default_factory=ScanResult)
    commits: tuple[str, ...] = ()
    """ID and subject of the commits that an address does not have."""
    remotes: Mapping[str, RemoteState] = field(default_factory=dict[str, RemoteState])
    """What each address has, by its URL."""


async def search_publication(
    isolated: IsolatedGit, publication: Publication, base: str, tips: Sequence[str]
) -> PublicationSearch:
    """Search all that a push of `tips` sends; `base` is the last commit before the thread's.

    Raises GitError if an address does not answer, and UsageError if objects are missing here.
    """
    await pin_addresses(isolated, publication.addresses)
    remotes = dict[str, RemoteState]()
    secrets, unsearched, commits = list[FoundSecret](), list[str](), list[str]()
    for address in publication.addresses:
        remotes[address.url] = remote = await _read_remote(isolated, publication, address, base)
        unpushed = await list_unpushed(isolated, base, remote.known)
        known = remote.known if unpushed else (*remote.known, base, f"{base}^{{tree}}")
        result = await scan_objects(isolated, tips, known)
        secrets += result.secrets
        unsearched += result.unsearched
        commits += unpushed
    return PublicationSearch(
        ScanResult(tuple(dict.fromkeys(secrets)), tuple(dict.fromkeys(unsearched))),
        tuple(dict.fromkeys(commits)),
        remotes,
    )


async def _read_remote(
    isolated: IsolatedGit, publication: Publication, address: PushAddress, base: str
) -> RemoteState:
    credentials = await build_credentials(isolated.git, publication.login, address.url)
    branches = (publication.remotes.upstream,)
    return await read_remote(isolated, address, base, branches, credentials)
