"""The scope of a review: a range of commits, a pull request, or the working tree.

All is read with the hardened git. A pull request is fetched from the remote's address with the
user's logins, and with nothing else of the repository's configuration; no branch changes.
"""

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path

from ...config.errors import UsageError
from ...config.security.content_digest import UnreadableFileError, read_regular_file
from ...config.settings.loader import load_settings
from ...config.text import text
from ...config.trust.decision import check_trust
from ...tools.git.diff_lines import render_new_file
from ...tools.git.hardened_fetch import HardenedFetch
from ...tools.git.hardened_git import HardenedRepository, open_repository
from ...tools.git.remotes import Remotes, find_remotes
from ...tools.git.user_git import GitError
from ...tools.hosting.api import open_api
from ...tools.hosting.host import find_host
from ...tools.hosting.http_api import HostingError
from ...tools.hosting.login import Login, find_login
from ...tools.hosting.remote_url import RepositoryAddress, parse_remote_url
from ...tools.result import ToolError
from ...tools.workspace import Workspace

# Characters of a diff that the model reads
MAX_DIFF = 120_000
# Bytes of a new file that is not tracked yet
MAX_NEW = 200_000
_NOT_FOUND = 404
_NUMBER = re.compile(r"[#!]?(\d{1,9})")
_URL = re.compile(
    r"(https?://.+?)(?:/pull/|/-/merge_requests/|/merge_requests/)(\d{1,9})(?:[/?#].*)?"
)
_REVISION = re.compile(r"[^-:\s][^:\s]*")
_SHOWS = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"),
    *("--submodule=short", "--ignore-submodules=dirty"),
)
_DEFAULTS = ("origin/main", "origin/master", "main", "master")


@dataclass(frozen=True)
class ReviewScope:
    """A diff and where it comes from."""

    name: str
    """What the user would call it, such as `main..HEAD`."""
    base: str
    head: str
    """A commit; empty: the working tree."""
    diff: str
    is_cut: bool = False


async def find_scope(target: str, folder: Path, home: Path) -> ReviewScope:
    """Return what to review; raises UsageError for a target that does not exist.

    `target` is `BASE..HEAD`, the number or address of a pull request, or empty: the working tree
    against the merge base with the default branch.
    """
    reader = await _open_reader(folder, home)
    if match := _URL.fullmatch(target):
        return await reader.read_pull_request(int(match[2]), match[1])
    if match := _NUMBER.fullmatch(target):
        return await reader.read_pull_request(int(match[1]))
    return await (reader.read_range(target) if target else reader.read_working_tree())


async def _open_reader(folder: Path, home: Path) -> "_ScopeReader":
    settings = await asyncio.to_thread(load_settings, folder, home)
    workspace = Workspace(folder, tuple(settings.settings.security.ignore_patterns), home)
    try:
        return _ScopeReader(await open_repository(workspace), workspace, home)
    except ToolError as error:
        raise UsageError(str(error), hint="a review needs a git repository") from error


class _ScopeReader:
    """Reads diffs in one repository."""

    def __init__(self, repository: HardenedRepository, workspace: Workspace, home: Path) -> None:
        self._repository, self._workspace, self._home = repository, workspace, home

    async def read_range(self, target: str) -> ReviewScope:
        """Read `BASE..HEAD`; with three dots from the merge base."""
        base, dots, head = target.partition("...") if "..." in target else target.partition("..")
        if not dots or not _REVISION.fullmatch(base):
            raise UsageError(
                text("`{target}` is neither a range nor a pull request", target=target),
                hint="give `BASE..HEAD`, or the number or address of a pull request",
            )
        first, last = await self._resolve(base), await self._resolve(head or "HEAD")
        if dots == "...":
            first = await self._run("merge-base", first, last)
        return await self._read_diff(target, first, last)

    async def read_working_tree(self) -> ReviewScope:
        """Read all changes since the branch left the default branch, also those not committed."""
        default = await self._find_default()
        base = await self._resolve("HEAD")
        if default:
            base = await self._run("merge-base", default, "HEAD") or base
        diff = await self._run("diff", *_SHOWS, base, "--", ":/") + await self._read_new_files()
        name = f"{default}..." if default else "HEAD"
        return _cut_scope(ReviewScope(name, base, "", diff))

    async def read_pull_request(self, number: int, address: str = "") -> ReviewScope:
        """Fetch a pull request's commits into references of our own, and read its diff."""
        remotes = await self._find_remotes()
        target = _find_address(remotes, address)
        remote = HardenedFetch(self._repository, remotes.fetch_urls[0])
        login = await _find_login(target, self._workspace.root)
        if login:
            base = await _read_base(login, target, number)
        else:
            base = await remote.read_default_branch()
        head_ref, base_ref = f"refs/mcode/pull/{number}", f"refs/mcode/base/{number}"
        source = _name_source(target, login, number)
        try:
            await remote.fetch([(source, head_ref), (f"refs/heads/{base}", base_ref)])
        except GitError as error:
            raise UsageError(
                text(
                    "pull request {number} cannot be fetched: {reason}",
                    number=number,
                    reason=error.message,
                ),
                hint="check its number, and your access to the remote",
            ) from error
        head = await self._resolve(head_ref)
        first = await self._run("merge-base", await self._resolve(base_ref), head)
        return await self._read_diff(f"#{number}", first, head)

    async def _find_remotes(self) -> Remotes:
        """Return the remotes to fetch from."""
        root = self._workspace.root
        if not (await asyncio.to_thread(check_trust, root, self._home)).trusted:
            raise UsageError(
                "pull requests are fetched only in a trusted folder",
                hint="trust it with `mcode trust`, or `--trust`",
            )
        remotes = await find_remotes(self._repository)
        if remotes is None:
            raise UsageError(
                "the repository has no remote", hint="add one with `git remote add origin URL`"
            )
        return remotes

    async def _read_diff(self, name: str, base: str, head: str) -> ReviewScope:
        diff = await self._run("diff", *_SHOWS, base, head, "--", ":/")
        return _cut_scope(ReviewScope(name, base, head, diff))

    async def _find_default(self) -> str:
        """Return the default branch's name; empty if it is not known."""
        arguments = ("for-each-ref", "--format=%(symref:short)", "refs/remotes/*/HEAD")
        heads = (await self._run(*arguments)).split("\n")
        for name in (*filter(None, heads), *_DEFAULTS):
            if await self._find_commit(name):
                return name
        return ""

    async def _resolve(self, name: str) -> str:
        commit = await self._find_commit(name) if _REVISION.fullmatch(name) else ""
        if not commit:
            raise UsageError(
                text("there is no commit `{name}`", name=name),
                hint="list branches and tags with `git branch -a` and `git tag`",
            )
        return commit

    async def _find_commit(self, name: str) -> str:
        try:
            return await self._run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        except ToolError:
            return ""

    async def _read_new_files(self) -> str:
        """Return the files that git does not track yet, as a diff would show them."""
        output = await self._run("ls-files", "--others", "--exclude-standard", "-z")
        names = [name for name in output.split("\0") if name]
        diffs = [await asyncio.to_thread(self._diff_new_file, name) for name in names]
        return "".join(diffs)

    def _diff_new_file(self, name: str) -> str:
        try:
            real = self._workspace.resolve(name)
            data = read_regular_file(str(real), MAX_NEW)
            return render_new_file(f"{self._repository.prefix}{name}", data.decode())
        except (ToolError, UnreadableFileError, UnicodeDecodeError):
            return ""

    async def _run(self, *arguments: str) -> str:
        result = await self._repository.run_git(*arguments)
        return result.text if arguments[0] in ("diff", "ls-files") else result.text.strip()


def _cut_scope(scope: ReviewScope) -> ReviewScope:
    if len(scope.diff) <= MAX_DIFF:
        return scope
    cut = scope.diff[:MAX_DIFF].rpartition("\n")[0] + "\n"
    return ReviewScope(scope.name, scope.base, scope.head, cut, is_cut=True)


def _find_address(remotes: Remotes, address: str) -> RepositoryAddress:
    """Return the repository of the remote; raises UsageError if the request is of another one."""
    repository = next(filter(None, map(parse_remote_url, remotes.fetch_urls)), None)
    requested = parse_remote_url(address) if address else None
    if repository is None or (
        requested and (requested.host, requested.path) != (repository.host, repository.path)
    ):
        raise UsageError(
            text("the pull request does not belong to `{remote}`", remote=remotes.fetch),
            hint="run it in a clone of its repository",
        )
    return repository


async def _find_login(address: RepositoryAddress, folder: Path) -> Login | None:
    """Return the login for a repository; None without one: then no API is asked."""
    try:
        return await find_login(address, folder)
    except UsageError:
        return None


async def _read_base(login: Login, address: RepositoryAddress, number: int) -> str:
    """Return the branch that the request is for; raises UsageError if the host has no such one."""
    api = open_api(login, address)

    try:
        return (await api.read_pull_request(number)).base
    except HostingError as error:
        if error.status != _NOT_FOUND:
            raise
        raise UsageError(
            text("there is no pull request {number} that you can see", number=number),
            hint=text(
                "check its number, and that your login can access `{repository}`",
                repository=f"{address.host}/{address.path}",
            ),
        ) from error
    finally:
        await api.close()


def _name_source(address: RepositoryAddress, login: Login | None, number: int) -> str:
    host = login.host if login else find_host(address, os.environ)
    is_gitlab = host is not None and host.kind == "gitlab"
    return f"refs/merge-requests/{number}/head" if is_gitlab else f"refs/pull/{number}/head"
