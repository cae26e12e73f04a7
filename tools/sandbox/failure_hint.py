"""What the model is told when a command has perhaps failed because of the sandbox."""

import re

_MARKS = re.compile(
    r"read-only file system|\berofs\b|network is unreachable|\benetunreach\b"
    r"|name resolution|name or service not known|could ?n[o']t resolve|enotfound|eai_again"
    r"|getaddrinfo|no route to host|operation not permitted|\beperm\b|permission denied|\beacces\b"
    r"|device or resource busy|\bebusy\b|invalid cross-device link|\bexdev\b"
    r"|cannot connect to the docker daemon|can only add regular files",
    re.IGNORECASE,
)
_MAY_BE = (
    "the sandbox may be why: {network}only the project can be written, without its protected "
    "files, and secrets cannot be read. If the command cannot do without, call again with "
    "`outside_sandbox: true`: the user is asked"
)
_OWN = "bwrap: "


def hint(output: str, *, network: bool) -> str:
    """One line to add to a failed command's error; empty when nothing points to the sandbox."""
    if output.startswith(_OWN):
        return "the sandbox could not be built; the user can be asked with `outside_sandbox: true`"
    if not _MARKS.search(output):
        return ""
    return _MAY_BE.format(network="" if network else "inside there is no network, ")
