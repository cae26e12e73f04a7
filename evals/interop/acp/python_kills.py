"""Reaches one phase with the Python SDK, then kills the agent or itself; in that SDK's environment.

    python python_kills.py FOLDER PHASE VICTIM SESSION COMMAND…

The victim `nobody` has the thread go on to its end. Prints `agent PID`, `session ID` and
`kill PHASE`, each when it is so.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any

import acp  # pyright: ignore[reportMissingImports]


class Editor(acp.Client):  # pyright: ignore
    """Says yes to each question, and kills at its phase."""

    def __init__(self, phase: str, victim: str) -> None:
        self.phase, self.victim, self.agent = phase, victim, 0
        self.asked = asyncio.Event()

    def kill(self, reached: str) -> None:
        """Kill the victim if this is its phase."""
        if reached == self.phase and self.victim != "nobody":
            print("kill", reached, flush=True)
            os.kill(self.agent if self.victim == "agent" else os.getpid(), signal.SIGKILL)

    async def request_permission(
        self, options: list[Any], session_id: str, tool_call: Any, **_: Any
    ) -> dict[str, Any]:
        self.asked.set()
        self.kill("permission")
        if self.phase == "cancel":
            await asyncio.Event().wait()
        return {"outcome": {"outcome": "selected", "optionId": options[0].option_id}}

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.kill(update.session_update)

    async def send(self, name: str, request: Coroutine[Any, Any, Any]) -> Any:
        """Send a request, and kill once it is written."""
        sending = asyncio.ensure_future(request)
        await asyncio.sleep(0.01)
        self.kill(name)
        return await sending


async def main(folder: str, phase: str, victim: str, old: str, command: list[str]) -> None:
    """Begin a conversation, or go on with one."""
    editor = Editor(phase, victim)
    opened = acp.spawn_agent_process(  # pyright: ignore
        lambda _: editor, *command, env=dict(os.environ), cwd=folder
    )
    async with opened as (agent, process):
        editor.agent = process.pid
        print("agent", process.pid, flush=True)
        await editor.send("initialize", agent.initialize(protocol_version=1))
        place: dict[str, Any] = {"cwd": folder, "mcp_servers": []}
        session, text = old, "/resume"
        if old:
            await editor.send("list", agent.list_sessions(cwd=folder))
            await editor.send("load", agent.load_session(session_id=old, **place))
            if phase == "fork":
                await editor.send("fork", agent.fork_session(session_id=old, **place))
            if phase == "close":
                await editor.send("close", agent.close_session(session_id=old))
        else:
            session = (await editor.send("new", agent.new_session(**place))).session_id
            print("session", session, flush=True)
            text = "Count."
        blocks = [acp.text_block(text)]  # pyright: ignore
        turn = agent.prompt(session_id=session, prompt=blocks)
        turning = asyncio.ensure_future(editor.send("prompt", turn))
        if phase == "cancel" and not old:
            await editor.asked.wait()
            await editor.send("cancel", agent.cancel(session_id=session))
        await turning


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:5], sys.argv[5:]))  # pyright: ignore
