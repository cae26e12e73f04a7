"""The target of a pull request: checked before any model is asked, and again when it is opened."""

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...config.errors import UsageError
from ...config.git.repository import find_top
from ...config.text import text
from ...config.trust.decision import check_trust
from ...nodes.options import Options
from ...tools.git.commits import Identity, read_identities
from ...tools.git.isolated_git import IsolatedGit
from ...tools.git.object_scan import (
    FoundSecret,
    RemoteState,
    ScanResult,
    list_unpushed,
    read_remote,
    scan_objects,
)
from ...tools.git.push_addresses import PushAddress, parse_push_addresses, pin_addresses
from ...tools.git.remotes import Remotes, find_remotes
from ...tools.git.user_git import GitError, UserGit, find_git_program
from ...tools.hosting.login import Login, find_login
from ...tools.hosting.push_credentials import build_credentials
from ...tools.hosting.remote_url import RepositoryAddress, parse_remote_url

# Values of the option `pr`
ANSWERS = ("ask", "yes")


@dataclass(frozen=True)
class Publication:
    """A repository, its remote and a login to its host."""

    git: UserGit
    prefix: str
    """The project's path in the repository, such as `packages/a/`; empty at its top."""
    head: str
    """The current commit."""
    author: Identity
    committer: Identity
    remotes: Remotes
    target: RepositoryAddress
    """Where the request is opened: from the address that the remote is fetched from."""
    source: RepositoryAddress
    """Where the branch is pushed to: the same, or a fork."""
    login: Login
    addresses: tuple[PushAddress, ...]
    """Every address that the branch is pushed to."""

    @property
    def repository(self) -> str:
        """Host, owner and name of the repository where the request is opened."""
        return f"{self.target.host}/{self.target.path}"

    @property
    def push_address(self) -> str:
        """The first address of the push; empty: it is the repository's."""
        address = self.addresses[0]
        pushed = parse_remote_url(address.url)
        target = (self.target.host_name, self.target.path)
        if pushed and (pushed.host_name, pushed.path) == target:
            return ""
        return address.shown

    @property
    def shown_addresses(self) -> tuple[str, ...]:
        """The addresses of the push as the user sees them."""
        return tuple(address.shown for address in self.addresses)


async def check_publication(folder: Path, home: Path) -> Publication:
    """Return where a pull request goes; raises UsageError if it cannot be made. Local and quick."""
    await _require_trust(folder, home)
    git, prefix, head = await open_repository(folder)
    author, committer = await _read_user(git)
    remotes = await _find_remotes(git)
    target = _parse_first(remotes.fetch_urls)
    login = await find_login(target, git.folder)
    addresses = parse_push_addresses(remotes.push_urls, git.folder)
    pushed = filter(None, (parse_remote_url(address.url) for address in addresses))
    source = next((one for one in pushed if one.host_name == target.host_name), target)
    return Publication(
        git, prefix, head, author, committer, remotes, target, source, login, addresses
    )


async def _require_trust(folder: Path, home: Path) -> None:
    trust = await asyncio.to_thread(check_trust, folder, home)
    if not trust.trusted:
        raise UsageError(
            "a pull request needs a trusted folder: git runs its hooks",
            hint="trust it with `mcode trust`, or `--trust`",
        )


async def _read_user(git: UserGit) -> tuple[Identity, Identity]:
    """Return author and committer."""
    try:
        return await read_identities(git)
    except GitError as error:
        raise UsageError(
            "git does not know who you are, so it cannot commit",
            hint="run `git config user.name NAME` and `git config user.email EMAIL`",
        ) from error


async def _find_remotes(git: UserGit) -> Remotes:
    remotes = await find_remotes(git)
    if remotes is None:
        raise UsageError(
            "the repository has no remote to push to",
            hint="add one with `git remote add origin URL`",
        )
    return remotes


async def check_publication_if_wanted(options: Options, folder: Path, home: Path) -> None:
    """Raise UsageError if these options want a pull request that cannot be made."""
    if answer := options.get("pr"):
        if answer not in ANSWERS:
            raise UsageError(
                text("`pr` must be `ask` or `yes`, not `{wanted}`", wanted=answer), hint="use `ask`"
            )
        await check_publication(folder, home)


async def open_repository(folder: Path) -> tuple[UserGit, str, str]:
    """Return git at the top of the working tree, the project's path in it, and the commit."""
    try:
        find_git_program(folder)
        here = UserGit(folder)
        top = Path(await here.read_text("rev-parse", "--show-toplevel"))
        prefix = await here.read_text("rev-parse", "--show-prefix")
    except GitError as error:
        raise _explain_refusal(folder, error) from error
    git = UserGit(top)
    head = await git.read_text(
        "rev-parse", "--quiet", "--verify", "HEAD^{commit}", allowed_codes=(0, 1)
    )
    if not head:
        raise UsageError(
            "the repository has no commit yet", hint="create the first one with `git commit`"
        )
    return git, prefix, head


def _explain_refusal(folder: Path, error: GitError) -> UsageError:
    if find_top(folder) is None:
        return UsageError(
            text("`{folder}` is not in a git repository", folder=folder),
            hint="create one with `git init`",
        )
    if "safe.directory" in str(error):
        return UsageError(
            text("git does not use `{folder}`, because it belongs to another user", folder=folder),
            hint=text(
                "run `git config --global --add safe.directory {folder}` if you trust it",
                folder=shlex.quote(str(folder)),
            ),
        )
    return UsageError(error.message, hint=error.hint)


def _parse_first(urls: tuple[str, ...]) -> RepositoryAddress:
    """Return the address in the first URL that has one."""
    for url in urls:
        if address := parse_remote_url(url):
            return address
    raise UsageError(
        text("the remote's address is not a repository on a host: {url}", url=", ".join(urls)),
        hint="pull requests need GitHub or GitLab; run `git remote set-url origin URL`",
    )


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
