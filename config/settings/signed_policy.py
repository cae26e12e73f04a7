"""The policy of a signed URL: how it is fetched, how long a copy holds, who may sign it."""

import asyncio
import hashlib
import logging
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from .. import paths
from ..errors import MaxAgentError
from ..security.private_files import replace_file
from ..security.ssh_signatures import read_public_key, verify_signature
from ..text import text

if TYPE_CHECKING:
    from .managed_policy import PolicySource

# Seconds after which a new process fetches it anew, and after which a copy does not hold any more
REFRESH, HOLD = 3600.0, 86_400.0
FETCH_SECONDS = 15.0
_END = b"-----END SSH SIGNATURE-----\n"
_logger = logging.getLogger(__name__)
_fetching = threading.local()
# What this process has fetched and could not write: the policy, and when
_unsaved = dict[str, tuple[bytes, float]]()
# URLs that this process has asked
_refreshed = set[str]()


def is_fetching() -> bool:
    """Return whether this thread fetches the policy, by the rule of no policy but TLS."""
    return getattr(_fetching, "is_on", False)


def read_signed_policy(source: "PolicySource") -> bytes:
    """Return the policy, fetched or from a copy that still holds; raises ValueError.

    A copy is checked like what was fetched: who can write it cannot change it.
    """
    file = _locate_copy(source.url)
    unsaved, read_at = _unsaved.get(source.url, (b"", 0.0))
    age = min(_measure_age(file), max(time.time() - read_at, 0.0))
    if age > HOLD or (age > REFRESH and source.url not in _refreshed):
        _refreshed.add(source.url)
        try:
            content = _fetch(source.url)
            _split(content, source.key)
        except ValueError:
            if age > HOLD:
                raise
        else:
            unsaved = _save(source.url, file, content)
    if unsaved:
        return _split(unsaved, source.key)
    try:
        return _split(file.read_bytes(), source.key)
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error


def _save(url: str, file: Path, content: bytes) -> bytes:
    """Write a copy for the next process; return what could not be written, for this one."""
    _unsaved.pop(url, None)
    try:
        replace_file(file, content)
    except OSError as error:  # a full disk
        _logger.warning("no copy of the policy: %s", error)
        _unsaved[url] = content, time.time()
        return content
    return b""


def _split(content: bytes, key: str) -> bytes:
    """Return the policy behind its signature; raises ValueError."""
    signature, end, policy = content.partition(_END)
    verify_signature(policy, signature + end, read_public_key(key))
    return policy


def _locate_copy(url: str) -> Path:
    name = hashlib.sha256(url.encode()).hexdigest()[:32]
    try:
        return paths.ensure_data_folder(paths.locate_home()) / f"policy-{name}"
    except MaxAgentError as error:
        raise ValueError(error.message) from error


def _measure_age(file: Path) -> float:
    """Return the seconds since a copy was fetched; too many if there is none, or it is of later."""
    with suppress(OSError):
        age = time.time() - file.stat().st_mtime
        return age if age >= -60 else HOLD + 1
    return HOLD + 1


def _fetch(url: str) -> bytes:
    """Return signature and policy; raises ValueError. A loop may run in this thread already."""
    results = list[bytes]()
    failures = list[Exception]()

    def run() -> None:
        _fetching.is_on = True
        try:
            # by its name: the client asks the policy about each host, so it is above this room
            client = import_module(f"{str(__package__).rpartition('.')[0]}.network.policy_fetch")
            results.extend(asyncio.run(client.fetch_signed(url, FETCH_SECONDS / 2)))
        except Exception as error:  # whatever it is, there is no policy
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(FETCH_SECONDS)
    if len(results) != 2:
        reason = failures[0] if failures else text("the server did not answer in time")
        raise ValueError(text("`{url}` could not be fetched: {reason}", url=url, reason=reason))
    signature, policy = results
    return signature.strip() + b"\n" + policy
