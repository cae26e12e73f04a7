"""What of the protocol is there: the answer to `initialize`, for either version.

An editor waits for it with its window open, so nothing heavy is imported here.
"""

from typing import Any, NamedTuple

from ... import __version__
from ..i18n.catalogs import t
from .frames import INVALID_PARAMS, RpcError, parse_frame, write_frame
from .params import as_object

VERSIONS = (1, 2)

# The ways to log in: one, in a terminal
LOGIN = "mcode-login"


class ClientFeatures(NamedTuple):
    """What a client has said of itself."""

    version: int = 1
    """The version of the protocol that both speak."""
    capabilities: dict[str, Any] = {}


def answer_initialize(frame: bytes, write_fd: int) -> ClientFeatures | None:
    """Answer the first message of a client if it is `initialize`; None if it is another one.

    Raises OSError when the client is gone.
    """
    try:
        message = parse_frame(frame)
        if message.get("method") != "initialize" or "id" not in message:
            return None
        client = read_client(message.get("params") or {})
    except RpcError:  # the connection answers it
        return None
    write_frame(write_fd, {"id": message["id"], "result": build_initialize_result(client.version)})
    return client


def read_client(params: dict[str, Any]) -> ClientFeatures:
    """Read the parameters of `initialize`; raises RpcError."""
    asked = params.get("protocolVersion")
    if isinstance(asked, bool) or not isinstance(asked, int):
        raise RpcError(INVALID_PARAMS, "`protocolVersion` must be a whole number")
    version = asked if asked in VERSIONS else max(VERSIONS) if asked > 1 else 1
    name = "clientCapabilities" if version == 1 else "capabilities"
    return ClientFeatures(version, as_object(params.get(name)))


def build_initialize_result(version: int) -> dict[str, Any]:
    """Return the answer to `initialize`: what of the protocol is there."""
    about = {"name": "maxagent", "title": "MaxAgent", "version": __version__}
    login: dict[str, Any] = {"name": t("acp.login"), "description": t("acp.log_in")}
    login |= {"type": "terminal", "args": ["auth", "login"]}
    content: dict[str, Any] = {"image": {}, "embeddedContext": {}}
    if version > 1:
        session: dict[str, Any] = {"prompt": content, "mcp": {}, "delete": {}}
        session["additionalDirectories"] = {}
        return {
            "protocolVersion": version,
            "info": about,
            "capabilities": {"session": session, "auth": {}},
            "authMethods": [{"methodId": LOGIN, **login}],
        }
    names = ("list", "resume", "close", "delete", "fork", "additionalDirectories")
    parts: dict[str, Any] = {name: {} for name in names}
    return {
        "protocolVersion": version,
        "agentInfo": about,
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": dict.fromkeys(content, True),
            "mcpCapabilities": {"http": True, "sse": True},
            "sessionCapabilities": parts,
            "auth": {"logout": {}},
        },
        "authMethods": [{"id": LOGIN, **login}],
    }
