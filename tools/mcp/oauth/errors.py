"""Why a login to a server is needed, or has failed."""

from ....config.errors import MaxAgentError
from ....config.text import text


class LoginError(MaxAgentError):
    """A login could not be made."""


class LoginNeededError(MaxAgentError):
    """The server wants a login that only a person can make."""

    def __init__(self, message: str, server: str, hint: str = "") -> None:
        super().__init__(message, hint=hint or text("run `mcode mcp login {name}`", name=server))
