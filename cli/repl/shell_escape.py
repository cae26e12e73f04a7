"""`!command`: runs a shell command of the user in the sandbox, and adds its output as context."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .session.session import Session

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ...tools.permissions.decision import Decision
    from ..execution.tool_session import ToolSession

MESSAGE_TEMPLATE = "The user ran `{command}`. {end}\n{output}"


async def run_shell_line(session: Session, command: str) -> None:
    """Run it, show its output, and pass that to the model with the next message.

    The user who types a command has agreed to it, so only what is never allowed is denied.
    """
    await session.wait_for_runner()  # it has loaded the imports below
    lines = _LineBuffer(session)
    tools = await asyncio.to_thread(_open_tools, session, lines.add_text)
    reply = await tools.call_tool("run_command", {"command": command}, _approve_call)
    lines.flush()
    if reply.error:
        session.show(reply.error, "red")
    end = reply.error or "It ended with exit code 0."
    session.side_context.append(
        MESSAGE_TEMPLATE.format(command=command, end=end, output=reply.output).rstrip()
    )


def _open_tools(session: Session, emit: Callable[[str], None]) -> "ToolSession":
    """Open the tools under the user's rules; inspects the folder, which may take long."""
    from ...config import paths
    from ...config.settings.loader import load_settings
    from ..execution.tool_session import ToolSession

    loaded = load_settings(session.folder, session.home)
    outputs = paths.locate_outputs(session.home, "by-hand")
    return ToolSession(session.folder, loaded, outputs, emit=emit)


async def _approve_call(tool: "BaseTool", args: Mapping[str, object], decision: "Decision") -> bool:
    return True


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
