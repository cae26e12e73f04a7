"""`!command`: runs as the user's own, by the rules of tools and in the sandbox; then it is told."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .session import Session

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ...tools.permissions import Decision

TOLD = "The user ran `{command}`. {end}\n{output}"


async def run_shell_line(session: Session, command: str) -> None:
    """Run it, show what it writes, and let the next message tell the model.

    Whoever types a command has agreed to it, so only what is never allowed is refused.
    """
    await session.runner()  # what follows brings as much, and is there by now
    from ...config import paths
    from ...config.loading import load
    from ..tool_session import ToolSession

    lines = _Lines(session)
    loaded = load(session.folder, session.home)
    outputs = paths.outputs_folder(session.home, "by-hand")
    tools = ToolSession(session.folder, loaded, outputs, emit=lines.add)
    reply = await tools.call("run_command", {"command": command}, _agreed)
    lines.end()
    if reply.error:
        session.show(reply.error, "red")
    end = reply.error or "It ended with exit code 0."
    session.aside.append(TOLD.format(command=command, end=end, output=reply.output).rstrip())


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
