"""The administrator's policy file: read where it is used, and checked again whenever it changed.

No setting, variable or option names another file. It is read without a call that may wait, since
the event loop of a server may be what asks.
"""

import os
import stat
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..text import join_texts, text

if TYPE_CHECKING:
    from pydantic import ValidationError

    from .managed_policy import ManagedPolicy, PolicySource
    from .sources import Layer

POLICY_FILE = Path("/etc/maxagent/policy.yaml")
MAX_BYTES = 1_000_000
# The last policy by what its file was
_policies: "dict[tuple[object, ...], ManagedPolicy]" = {}
# The last signed policy by its content
_signed: "dict[bytes, ManagedPolicy]" = {}


def load_managed_policy() -> "ManagedPolicy | None":
    """Return the policy; None where there is none.

    Raises UsageError if it cannot be read or says something unknown: then nothing runs.
    """
    file = POLICY_FILE
    try:  # a link is followed: it is the rule where a machine's configuration is built
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        if _is_link(file):
            raise _build_error(file, text("it is a link to nothing")) from error
        return None
    except OSError as error:
        raise _build_error(file, error.strerror or str(error)) from error
    try:
        return _load_policy(file, descriptor)
    finally:
        os.close(descriptor)


def _is_link(file: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISLNK(os.lstat(file).st_mode)
    return False


def _load_policy(file: Path, descriptor: int) -> "ManagedPolicy | None":
    status = os.fstat(descriptor)
    identity = (file, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
    if identity not in _policies:
        policy = _read_policy(file, descriptor, status)
        _policies.clear()
        _policies[identity] = policy
    policy = _policies[identity]
    if policy.keys.source:
        return _load_signed(file, policy.keys.source)
    return _check_expiry(file, policy)


def _load_signed(file: Path, source: "PolicySource") -> "ManagedPolicy | None":
    """Return the policy of a signed URL; None for the request that fetches it."""
    from .signed_policy import is_fetching, read_signed_policy

    if is_fetching():
        return None
    try:
        content = read_signed_policy(source)
    except ValueError as error:
        raise _build_error(file, str(error)) from error
    if content not in _signed:
        policy = _parse_policy(file, source.url, content)
        if policy.keys.source or policy.keys.expires is None:
            reason = text("a signed policy needs `expires`, and has no `source`")
            raise _build_error(file, reason)
        _signed.clear()
        _signed[content] = policy
    return _check_expiry(file, _signed[content])


def _check_expiry(file: Path, policy: "ManagedPolicy") -> "ManagedPolicy":
    expires = policy.keys.expires
    if expires and expires <= datetime.now(UTC):
        raise _build_error(file, text("the policy has ended at {moment}", moment=expires))
    return policy


def _read_policy(file: Path, descriptor: int, status: os.stat_result) -> "ManagedPolicy":
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        raise _build_error(file, text("it is not a text file"))
    try:
        content = os.read(descriptor, MAX_BYTES)
    except OSError as error:
        raise _build_error(file, error.strerror or str(error)) from error
    return _parse_policy(file, str(file), content)


def _parse_policy(file: Path, origin: str, content: bytes) -> "ManagedPolicy":
    from pydantic import ValidationError

    from ..yaml.reader import decode_utf8, parse_document
    from .managed_policy import ManagedPolicy, PolicyKeys
    from .sources import Layer

    try:
        document = parse_document(file, decode_utf8(file, content))
    except UsageError as error:
        raise _build_error(file, error.message) from error
    layer = Layer(origin, document.values, document.lines)
    try:
        return ManagedPolicy(PolicyKeys.model_validate(document.values, strict=True), layer)
    except ValidationError as error:
        raise _build_error(file, _describe_mistakes(error, layer)) from error


def _describe_mistakes(error: "ValidationError", layer: "Layer") -> str:
    reports = list[str]()
    for detail in error.errors(include_url=False, include_context=False):
        path = tuple(map(str, detail["loc"]))
        key, place = ".".join(path), layer.find_origin(path)
        unknown = text("{place}: a policy has no key `{key}`", place=place, key=key)
        wrong = text("{place}: `{key}`: {problem}", place=place, key=key, problem=detail["msg"])
        reports.append(unknown if detail["type"] == "extra_forbidden" else wrong)
    return join_texts("; ", reports)


def _build_error(file: Path, reason: str) -> UsageError:
    return UsageError(
        text(
            "the policy `{file}` cannot be used, so nothing runs: {reason}",
            file=file,
            reason=reason,
        ),
        hint="whoever administers this machine has to repair the file",
    )
