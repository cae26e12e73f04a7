"""The administrator's policy file: read where it is used, and checked again whenever it changed.

No setting, variable or option names another file. It is read without a call that may wait, since
the event loop of a server may be what asks.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..text import join_texts, text

if TYPE_CHECKING:
    from pydantic import ValidationError

    from .managed_policy import ManagedPolicy
    from .sources import Layer

POLICY_FILE = Path("/etc/maxagent/policy.yaml")
MAX_BYTES = 1_000_000
# The last policy by what its file was
_policies: "dict[tuple[object, ...], ManagedPolicy]" = {}


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


def _load_policy(file: Path, descriptor: int) -> "ManagedPolicy":
    status = os.fstat(descriptor)
    identity = (file, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
    if identity not in _policies:
        policy = _read_policy(file, descriptor, status)
        _policies.clear()
        _policies[identity] = policy
    return _policies[identity]


def _read_policy(file: Path, descriptor: int, status: os.stat_result) -> "ManagedPolicy":
    from pydantic import ValidationError

    from ..yaml.reader import decode_utf8, parse_document
    from .managed_policy import ManagedPolicy, PolicyKeys
    from .sources import Layer

    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        raise _build_error(file, text("it is not a text file"))
    try:
        document = parse_document(file, decode_utf8(file, os.read(descriptor, MAX_BYTES)))
    except OSError as error:
        raise _build_error(file, error.strerror or str(error)) from error
    except UsageError as error:
        raise _build_error(file, error.message) from error
    layer = Layer(str(file), document.values, document.lines)
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
