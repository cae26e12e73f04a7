"""Hint for a command that may have failed because of the sandbox."""

import re

# `ENOTFOUND` is node's; it is a part of `ModuleNotFoundError`, too
_MARKS = re.compile(
    r"read-only file system|\berofs\b|network is unreachable|\benetunreach\b"
    r"|name resolution|name or service not known|could ?n[o']t resolve|\benotfound\b|eai_again"
    r"|getaddrinfo|no route to host|operation not permitted|\beperm\b|permission denied|\beacces\b"
    r"|device or resource busy|\bebusy\b|invalid cross-device link|\bexdev\b"
    r"|cannot connect to the docker daemon|can only add regular files"
    r"|bad system call|\bsigsys\b|function not implemented|\benosys\b",
    re.IGNORECASE,
)
_NO_SOCKET = re.compile(r"address family not supported|\beafnosupport\b", re.IGNORECASE)
_OUTSIDE = "If the command needs more, call again with `outside_sandbox: true`: the user is asked"
_NETWORK_BLOCKED = re.compile(
    r"network is unreachable|\benetunreach\b|name resolution|name or service not known"
    r"|could ?n[o']t resolve|\benotfound\b|eai_again|getaddrinfo|no route to host",
    re.IGNORECASE,
)
_WRITE_BLOCKED = re.compile(
    r"read-only file system|\berofs\b|cannot connect to the docker daemon", re.IGNORECASE
)
# Most characters of the output that a question contains
MAX_LINE_LENGTH = 200
_MAY_BE = (
    "the sandbox may be the cause: {network}only the project can be written, except its protected "
    "files; secrets cannot be read; programs cannot be traced or create namespaces. {outside}"
)
_SOCKETS = (
    "the sandbox may be the cause: it denies unix sockets, which `multiprocessing.Manager` and "
    "`forkserver` create. {outside}, who can also set `sandbox.unix_sockets` to `allow`"
)
_OWN = "bwrap: "
_LOCAL_CLIENT = re.compile(
    r"\b(curl|wget|nc|psql|mysql|redis-cli|mongosh)\b[^|;&]*"
    r"(\blocalhost\b|\b127\.\d|\b0\.0\.0\.0\b|\[::1\])"
)
_REFUSED = re.compile(r"connection refused|econnrefused|failed to connect|couldn.t connect", re.I)
# curl's exit code for it, which `-s` leaves without a word
_CURL_REFUSED = 7


def find_hint(output: str, *, network: bool, unix_sockets: bool = True) -> str:
    """Return a hint to add to a failed command's error; empty if the sandbox is not the cause.

    `network` and `unix_sockets`: whether a command in the sandbox has them.
    """
    if output.startswith(_OWN):
        return "the sandbox could not be set up; with `outside_sandbox: true` the user is asked"
    if not unix_sockets and has_socket_failure(output):
        return _SOCKETS.format(outside=_OUTSIDE)
    if not _MARKS.search(output):
        return ""
    without = "" if network else "the sandbox has no network; "
    return _MAY_BE.format(network=without, outside=_OUTSIDE)


def find_refused_connection(command: str, output: str, exit_code: int) -> str:
    """Return what shows that a client of this machine's services found none; else empty.

    In the sandbox 127.0.0.1 is the thread's own, so those of the machine cannot be reached.
    """
    if not _LOCAL_CLIENT.search(command):
        return ""
    for line in output.splitlines():
        if _REFUSED.search(line):
            return line.strip()[:MAX_LINE_LENGTH]
    is_curl = "curl" in command and exit_code == _CURL_REFUSED
    return "curl: connection refused" if is_curl else ""


def has_socket_failure(output: str) -> bool:
    """Return whether the output looks as if a unix socket was denied."""
    return _NO_SOCKET.search(output) is not None


def find_block(output: str, *, network: bool, unix_sockets: bool = True) -> str:
    """Return the line of a failed command's output that only the sandbox explains; else empty."""
    for line in output.splitlines():
        is_network = not network and _NETWORK_BLOCKED.search(line)
        is_socket = not unix_sockets and has_socket_failure(line)
        if is_network or is_socket or _WRITE_BLOCKED.search(line):
            return line.strip()[:MAX_LINE_LENGTH]
    return ""
