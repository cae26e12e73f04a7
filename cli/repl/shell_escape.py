"""`!command` runs a shell command of the user outside the sandbox, `!!command` inside.

Either way its output is shown, and goes to the model with the next message.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from .session.session import Session

if TYPE_CHECKING:
    from ..execution.tool_session import ToolSession

MESSAGE_TEMPLATE = "The user ran `{command}`. {end}\n{output}"
SANDBOX_TEMPLATE = "The user ran `{command}` in the sandbox. {end}\n{output}"


async def run_shell_line(session: Session, command: str, *, in_sandbox: bool = False) -> None:
    """Run it, show its output, and pass that to the model with the next message.

    The user who types a command has agreed to it, so no rule or mode is asked: only what is never
    allowed is denied, since the model reads the output.
    """
    await session.wait_for_runner()  # it has loaded the imports below
    lines = _LineBuffer(session)
    tools = await asyncio.to_thread(_open_tools, session, lines.add_text)
    reply = await tools.run_user_command(command, in_sandbox=in_sandbox)
    lines.flush()
    if reply.error:
        session.show(reply.error, "red")
    end = reply.error or "It ended with exit code 0."
    template = SANDBOX_TEMPLATE if in_sandbox else MESSAGE_TEMPLATE
    session.side_context.append(
        template.format(command=command, end=end, output=reply.output).rstrip()
    )


def _open_tools(session: Session, emit: Callable[[str], None]) -> "ToolSession":
    """Open the tools under the user's rules; inspects the folder, which may take long."""
    from ...config import paths
    from ...config.settings.loader import load_settings
    from ..execution.tool_session import ToolSession

    loaded = load_settings(session.folder, session.home)
    outputs = paths.locate_outputs(session.home, "by-hand")
    return ToolSession(session.folder, loaded, outputs, emit=emit)


class _LineBuffer:
    """Shows output line by line as it arrives."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rest = ""

    def add_text(self, piece: str) -> None:
        lines, ended, self._rest = (self._rest + piece).rpartition("\n")
        if ended:
            self._session.show(lines)

    def flush(self) -> None:
        if self._rest:
            self._session.show(self._rest)
