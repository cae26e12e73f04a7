"""Addresses of a push: only plain ones, shown without passwords, and used as they are shown."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...config.errors import UsageError
from ...config.security.control_characters import CONTROL_CHARACTERS
from ...config.security.redaction import redact
from ...config.text import text
from .git_settings import GitSetting
from .isolated_git import IsolatedGit

_SCHEMES = ("https", "http", "ssh", "git+ssh", "ssh+git", "git", "file")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(?:([^/?#\\]*)@)?([\w.:\[\]-]*)(/.*)?", re.ASCII)
_SCP_LIKE = re.compile(r"(?:[\w.+-]+@)?[A-Za-z0-9][\w.-]*:(?!:)[^\s].*", re.ASCII)
_HELPER = re.compile(r"[A-Za-z0-9_.+-]+::", re.ASCII)
_STRANGE = re.compile(rf"[\s{CONTROL_CHARACTERS}]")
_REMOTE = "published"


@dataclass(frozen=True)
class PushAddress:
    """One address of a push."""

    url: str
    shown: str
    """Without password, and for HTTP without user."""


def parse_push_addresses(urls: Sequence[str], top: Path) -> tuple[PushAddress, ...]:
    """Return the addresses; raises UsageError for one that would start a program."""
    return tuple(_parse_address(url, top) for url in dict.fromkeys(urls))


def _parse_address(url: str, top: Path) -> PushAddress:
    match = _URL.fullmatch(url)
    scheme = match[1].lower() if match else ""
    if _STRANGE.search(url) and (match or not os.path.exists(top / url)):
        raise _build_error(url)
    if match and scheme in _SCHEMES and scheme != "file":
        user = (match[2] or "").partition(":")[0] if scheme not in ("https", "http") else ""
        shown = f"{match[1]}://{f'{user}@' if user else ''}{match[3]}{match[4] or ''}"
        return PushAddress(url, redact(shown))
    if match and scheme == "file":
        return PushAddress(url, _refuse_inside(Path(match[4] or "/"), url, top))
    if "://" in url or _HELPER.match(url) or url.startswith("-"):
        raise _build_error(url)
    is_path = "/" in url.partition(":")[0] or ":" not in url
    if not is_path:
        if not _SCP_LIKE.fullmatch(url):
            raise _build_error(url)
        return PushAddress(url, redact(url))
    path = Path(os.path.normpath(top / url))
    return PushAddress(str(path), _refuse_inside(path, str(path), top))


def _refuse_inside(path: Path, shown: str, top: Path) -> str:
    """Return the address; raises UsageError for one in the project: its hooks would run."""
    if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(top)):
        raise UsageError(
            text("the push address `{url}` is inside the project", url=shown),
            hint="a push there would run the hooks of that repository; set another `pushurl`",
        )
    return redact(shown)


def _build_error(url: str) -> UsageError:
    return UsageError(
        text("will not push to the address `{url}`", url=redact(url)),
        hint="use an `https://` or SSH address, or a path outside the project",
    )


async def pin_addresses(isolated: IsolatedGit, addresses: Sequence[PushAddress]) -> None:
    """Make git use the addresses as they are, whatever the user's `insteadOf` says.

    Raises UsageError if one still would be rewritten.
    """
    settings = list[GitSetting]()
    for url in (address.url for address in addresses):
        names = (f"url.{url}.insteadof", f"url.{url}.pushinsteadof", f"remote.{_REMOTE}.url")
        settings += [GitSetting("local", name, url) for name in names]
    isolated.add_settings(settings)
    urls = [address.url for address in addresses]
    for flags in ((), ("--push",)):
        used = await isolated.git.read_text("remote", "get-url", *flags, "--all", _REMOTE)
        if used.split("\n") != urls:
            raise UsageError(
                text("your git rewrites the address `{url}` once more", url=addresses[0].shown),
                hint="look for `insteadOf` in your git configuration",
            )
