"""What of the protocol is there: the answer to `initialize`, for either version."""

from collections.abc import Mapping
from typing import Any

from ..i18n.catalogs import t

# The ways to log in: one, in a terminal
LOGIN = "mcode-login"


def build_greeting(version: int, about: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer to `initialize`: what of the protocol is there."""
    login: dict[str, Any] = {"name": t("acp.login"), "description": t("acp.log_in")}
    login |= {"type": "terminal", "args": ["auth", "login"]}
    content: dict[str, Any] = {"image": {}, "embeddedContext": {}}
    if version > 1:
        session: dict[str, Any] = {"prompt": content, "mcp": {}, "delete": {}}
        return {
            "protocolVersion": version,
            "info": about,
            "capabilities": {"session": session, "auth": {}},
            "authMethods": [{"methodId": LOGIN, **login}],
        }
    parts: dict[str, Any] = {name: {} for name in ("list", "resume", "close", "delete", "fork")}
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
