"""`!command`: runs as the user's own, by the rules of tools and in the sandbox; then it is told."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .session.session import Session

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ...tools.permissions import Decision
    from ..execution.tool_session import ToolSession

TOLD = "The user ran `{command}`. {end}\n{output}"


async def run_shell_line(session: Session, command: str) -> None:
    """Run it, show what it writes, and let the next message tell the model.

    Whoever types a command has agreed to it, so only what is never allowed is refused.
    """
    await session.runner()  # what follows brings as much, and is there by now
    lines = _Lines(session)
    tools = await asyncio.to_thread(_tools_of, session, lines.add)
    reply = await tools.call("run_command", {"command": command}, _agreed)
    lines.end()
    if reply.error:
        session.show(reply.error, "red")
    end = reply.error or "It ended with exit code 0."
    session.aside.append(TOLD.format(command=command, end=end, output=reply.output).rstrip())


def _tools_of(session: Session, emit: Callable[[str], None]) -> "ToolSession":
    """Tools by the user's rules; looks at the folder, which may take long."""
    from ...config import paths
    from ...config.settings.loader import load
    from ..execution.tool_session import ToolSession

    loaded = load(session.folder, session.home)
    outputs = paths.outputs_folder(session.home, "by-hand")
    return ToolSession(session.folder, loaded, outputs, emit=emit)


async def _agreed(tool: "BaseTool", args: Mapping[str, object], decision: "Decision") -> bool:
    return True


class _Lines:
    """Output as it comes, shown line by line."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rest = ""

    def add(self, piece: str) -> None:
        lines, ended, self._rest = (self._rest + piece).rpartition("\n")
        if ended:
            self._session.show(lines)

    def end(self) -> None:
        if self._rest:
            self._session.show(self._rest)
