"""Errors of MCP servers, each one line."""

from ..result import ToolError


class McpError(ToolError):
    """A server could not be reached, or did not answer."""

    def __init__(self, message: str, *, may_have_run: bool = False) -> None:
        super().__init__(message)
        self.may_have_run = may_have_run
        """Whether the call may have had an effect; False: it certainly was not sent."""
