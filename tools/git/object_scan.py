"""The search for secrets in all that a push sends: every object that the remote does not have.

Contents, names, messages, authors and whatever else an object has are read as the bytes that are
sent. What the remote has is what it says itself at that moment; nothing in the repository counts.
"""

import asyncio
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...config.errors import MaxAgentError, UsageError
from ...config.security.redaction import redact
from ...config.text import text
from .archives import UnreadableArchiveError, read_archive
from .content_secrets import find_content_secrets
from .isolated_git import IsolatedGit
from .lfs import find_lfs_file
from .objects import GitObject, describe_objects, read_objects
from .push_addresses import PushAddress
from .user_git import GitError

# Most bytes of one object, and of all objects
MAX_OBJECT, MAX_ALL = 20_000_000, 300_000_000
# Secrets, and objects that were not searched, that are named
MAX_NAMED = 10
_REFERENCE = re.compile(r"([0-9a-f]{40,64})\t(\S+)")
_TREE_ENTRY = re.compile(rb"[0-7]+ ([^\0]+)\0", re.DOTALL)


class SecretsFoundError(MaxAgentError):
    """What would be pushed contains what looks like secrets."""


@dataclass(frozen=True)
class FoundSecret:
    """A place with what looks like a secret."""

    place: str
    """Path of a file, or what else has it, without the secret."""
    line: int
    """0: somewhere in it."""
    kind: str

    def __str__(self) -> str:
        at = f":{self.line}" if self.line else ""
        return f"{self.place}{at} ({self.kind})"


@dataclass(frozen=True)
class ScanResult:
    """What a search found."""

    secrets: tuple[FoundSecret, ...] = ()
    unsearched: tuple[str, ...] = ()
    """Objects that are too large, by path, with their size."""

    def refuse_secrets(self) -> None:
        """Raise SecretsFoundError if there are secrets; it names none."""
        if self.secrets:
            places = "; ".join(str(secret) for secret in self.secrets[:MAX_NAMED])
            raise SecretsFoundError(
                text(
                    "not pushed: the changes contain what looks like a secret: {places}",
                    places=places,
                ),
                hint="remove it, then continue the thread",
            )


@dataclass(frozen=True)
class RemoteState:
    """What a remote has."""

    listed: Mapping[str, str]
    """The commit of each of its references, by name."""
    known: tuple[str, ...]
    """Those of the commits that exist here."""


async def read_remote(
    isolated: IsolatedGit,
    address: PushAddress,
    base: str,
    branches: Sequence[str] = (),
    credentials: Mapping[str, str] | None = None,
) -> RemoteState:
    """Ask the remote what it has; raises GitError.

    If it does not list `base` itself, its default branch and `branches` are fetched, so that a
    clone that is behind is not taken for new.
    """
    output = await isolated.searching.read_text(
        "ls-remote", "--quiet", address.url, env=credentials
    )
    listed = {name: id for id, name in _REFERENCE.findall(output)}
    known = await _select_local(isolated, listed.values())
    if base not in known:
        wanted = ["HEAD", *(f"refs/heads/{branch}" for branch in branches if branch)]
        missing = [
            name for name in dict.fromkeys(wanted) if listed.get(name, "") not in ("", *known)
        ]
        if missing:
            await _fetch(isolated, address, base, missing, credentials)
            known = await _select_local(isolated, listed.values())
    return RemoteState(listed, tuple(known))


async def _fetch(
    isolated: IsolatedGit,
    address: PushAddress,
    base: str,
    names: Sequence[str],
    credentials: Mapping[str, str] | None,
) -> None:
    (isolated.folder / "refs/base").write_text(f"{base}\n")  # what we have, for the remote
    refs = [f"+{name}:refs/known/{number}" for number, name in enumerate(names)]
    flags = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
    try:
        await isolated.searching.act("fetch", *flags, address.url, *refs, env=credentials)
    except GitError:
        return  # more is searched than has to be


async def _select_local(isolated: IsolatedGit, ids: Iterable[str]) -> list[str]:
    """Return those of the commits that exist here."""
    objects = await describe_objects(isolated.searching, [GitObject(id) for id in sorted(set(ids))])
    return [one.id for one in objects if one.kind in ("commit", "tag")]


async def list_unpushed(isolated: IsolatedGit, commit: str, known: Iterable[str]) -> list[str]:
    """Return ID and subject of the commits up to `commit` that the remote does not have."""
    lines = _build_range([commit], known)
    try:
        output = await isolated.searching.read("log", "--format=%h %s", "--stdin", input=lines)
    except GitError as error:
        raise _build_missing_error(error.message) from error
    return os.fsdecode(output).strip().split("\n") if output.strip() else []


async def scan_objects(
    isolated: IsolatedGit, tips: Sequence[str], known: Iterable[str]
) -> ScanResult:
    """Search all that `tips`, commits or trees, have and the commits `known` have not.

    Raises UsageError if objects are missing here, as in a shallow clone.
    """
    objects = await _list_objects(isolated, tips, known)
    secrets, unsearched, chosen = list[FoundSecret](), list[str](), list[GitObject]()
    total = 0
    for one in await describe_objects(isolated.searching, objects):
        if not one.kind:
            raise _build_missing_error(one.id)
        if one.size > MAX_OBJECT or total + one.size > MAX_ALL:
            unsearched.append(_describe_size(one, one.size))
        else:
            total += one.size
            chosen.append(one)
    async for contents in read_objects(isolated.searching, chosen):
        result = await asyncio.to_thread(_scan_portion, contents, isolated.lfs_storage)
        secrets += result.secrets
        unsearched += result.unsearched
    return ScanResult(tuple(dict.fromkeys(secrets)), tuple(unsearched))


def scan_texts(texts: Mapping[str, str]) -> ScanResult:
    """Search texts, by place, that are published besides the objects."""
    secrets = (
        FoundSecret(place, line, kind)
        for place, content in texts.items()
        for line, kind in find_content_secrets(content.encode(errors="surrogateescape"))
    )
    return ScanResult(tuple(secrets))


async def _list_objects(
    isolated: IsolatedGit, tips: Sequence[str], known: Iterable[str]
) -> list[GitObject]:
    lines = _build_range(tips, known)
    try:
        output = await isolated.searching.read("rev-list", "--objects", "--stdin", input=lines)
    except GitError as error:
        raise _build_missing_error(error.message) from error
    objects = list[GitObject]()
    for line in filter(None, os.fsdecode(output).split("\n")):
        id, _, path = line.partition(" ")
        objects.append(GitObject(id, path))
    return objects


def _build_missing_error(reason: str) -> UsageError:
    return UsageError(
        text("not all that would be pushed can be searched: {reason}", reason=reason),
        hint="this may be a shallow clone; run `git fetch --unshallow`, or push to the repository "
        "that it comes from",
    )


def _build_range(tips: Iterable[str], known: Iterable[str]) -> bytes:
    return "".join([*(f"{tip}\n" for tip in tips), *(f"^{id}\n" for id in known)]).encode()


def _scan_portion(contents: Sequence[tuple[GitObject, bytes]], lfs_storage: str) -> ScanResult:
    secrets, unsearched = list[FoundSecret](), list[str]()
    for one, content in contents:
        if one.kind == "tree":
            secrets += _scan_tree(one, content)
            continue
        place, is_file = redact(one.name), one.kind == "blob"
        if is_file and (file := find_lfs_file(lfs_storage, content)):
            if (size := file.stat().st_size) > MAX_OBJECT:
                unsearched.append(_describe_size(one, size))
                continue
            content = file.read_bytes()
        found = find_content_secrets(content)
        secrets += [FoundSecret(place, line if is_file else 0, kind) for line, kind in found]
        try:
            members = read_archive(content, one.path) if is_file else []
        except UnreadableArchiveError as error:
            unsearched.append(text("{place} (archive: {reason})", place=place, reason=error))
            continue
        kinds = {kind for member in members for _, kind in find_content_secrets(member)}
        secrets += [FoundSecret(place, 0, kind) for kind in sorted(kinds)]
    return ScanResult(tuple(secrets), tuple(unsearched))


def _describe_size(one: GitObject, size: int) -> str:
    return f"{redact(one.name)} ({size / 1e6:.1f} MB)"


def _scan_tree(one: GitObject, content: bytes) -> Iterator[FoundSecret]:
    entries = _iterate_tree(content, len(one.id) // 2)
    # a blank line between them: a name does not go on in the next one
    names = b"\n\n".join(match[1] for match in entries)
    place = text("the name of a file in `{folder}`", folder=redact(one.path) or ".")
    yield from (FoundSecret(place, 0, kind) for _, kind in find_content_secrets(names))


def _iterate_tree(content: bytes, id_length: int) -> Iterator[re.Match[bytes]]:
    at = 0
    while match := _TREE_ENTRY.match(content, at):
        yield match
        at = match.end() + id_length
