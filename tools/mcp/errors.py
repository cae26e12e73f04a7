"""Errors of MCP servers, each one line."""

from ...config.text import text
from ..result import ToolError


class McpError(ToolError):
    """A server could not be reached, or did not answer."""

    def __init__(self, message: str, *, reason: str = "", may_have_run: bool = False) -> None:
        super().__init__(message)
        self.reason = reason or message
        """What happened, without the server's name."""
        self.may_have_run = may_have_run
        """Whether the call may have had an effect; False: it certainly had none."""


def describe_unusable(server: str, reason: str) -> McpError:
    """Return the error for a call that was not sent."""
    message = text(
        "the MCP server `{server}` cannot be used: {reason}", server=server, reason=reason
    )
    return McpError(message, reason=reason)


def describe_unknown_outcome(server: str, reason: str) -> McpError:
    """Return the error for a call that was sent, and was not answered."""
    message = text(
        "the MCP server `{server}` gave no answer: {reason}; whether the call had an effect is "
        "not known",
        server=server,
        reason=reason,
    )
    return McpError(message, reason=reason, may_have_run=True)


def describe_reported_error(server: str, reason: str, *, may_have_run: bool) -> McpError:
    """Return the error for a call that the server answered with an error of the protocol."""
    message = text(
        "the MCP server `{server}` reports an error: {reason}", server=server, reason=reason
    )
    return McpError(message, reason=reason, may_have_run=may_have_run)
