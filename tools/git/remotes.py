"""The remote of a repository: what it is fetched from, and where a push goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Remotes:
    """Where a checkout's work comes from, and where it goes; mostly the same remote."""

    fetch: str
    """Name of the remote, such as `origin`."""
    fetch_urls: tuple[str, ...]
    """Its address with the user's `insteadOf`, and without where that makes a difference."""
    push: str
    """Name of the remote to push to."""
    push_urls: tuple[str, ...]
    """Every address that a push reaches."""
    upstream: str = ""
    """Branch on the remote that the current branch tracks; empty: none."""


class TextReader(Protocol):
    """A git that reads, the user's or the hardened one."""

    async def read_text(self, *arguments: str, allowed_codes: Sequence[int] = ...) -> str:
        """Run git and return what it prints."""
        ...


async def find_remotes(git: TextReader) -> Remotes | None:
    """Return the remotes of the current branch; None if there is none, or none can be chosen."""
    names = (await git.read_text("remote")).split("\n")
    branch = await git.read_text("symbolic-ref", "--quiet", "--short", "HEAD", allowed_codes=(0, 1))
    tracked = await _read_config(git, f"branch.{branch}.remote") if branch else ""
    fetch = _choose_remote(names, tracked)
    if not fetch:
        return None
    own = await _read_config(git, f"branch.{branch}.pushRemote") if branch else ""
    push = own or await _read_config(git, "remote.pushDefault") or fetch
    merge = await _read_config(git, f"branch.{branch}.merge") if tracked == fetch else ""
    urls = (
        await git.read_text("remote", "get-url", fetch),
        await _read_config(git, f"remote.{fetch}.url"),
    )
    return Remotes(
        fetch,
        tuple(dict.fromkeys(filter(None, urls))),
        push,
        tuple((await git.read_text("remote", "get-url", "--push", "--all", push)).split("\n")),
        merge.removeprefix("refs/heads/"),
    )


def _choose_remote(names: list[str], tracked: str) -> str:
    if tracked in names:
        return tracked
    if "origin" in names:
        return "origin"
    return names[0] if len(names) == 1 else ""


async def _read_config(git: TextReader, key: str) -> str:
    """Return the last value of a setting; empty if it is not set."""
    values = await git.read_text("config", "--get-all", key, allowed_codes=(0, 1))
    return values.split("\n")[-1]
