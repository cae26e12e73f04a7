"""A client built on the Python SDK of the Agent Client Protocol; runs in that SDK's environment.

    python python_client.py FOLDER COMMAND…

Prints what each step ended with, as one JSON object.
"""

import asyncio
import json
import os
import sys
from typing import Any

import acp  # pyright: ignore[reportMissingImports]


class Editor(acp.Client):  # pyright: ignore
    """Says yes to each question, and counts the updates."""

    updates = 0

    async def request_permission(
        self, options: list[Any], session_id: str, tool_call: Any, **_: Any
    ) -> dict[str, Any]:
        return {"outcome": {"outcome": "selected", "optionId": options[0].option_id}}

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates += 1


async def main(folder: str, command: list[str]) -> dict[str, str]:
    """Hold a conversation, open it again, and fork it."""
    steps: dict[str, str] = {}
    editor = Editor()
    opened = acp.spawn_agent_process(  # pyright: ignore
        lambda _: editor, *command, env=dict(os.environ), cwd=folder
    )
    async with opened as (agent, _):
        await agent.initialize(protocol_version=1)
        steps["initialize"] = "done"
        session = await agent.new_session(cwd=folder, mcp_servers=[])
        steps["new"] = "done"
        blocks = [acp.text_block("Make it.")]  # pyright: ignore
        answer = await agent.prompt(session_id=session.session_id, prompt=blocks)
        steps["prompt"] = answer.stop_reason
        await agent.set_session_mode(mode_id="ask", session_id=session.session_id)
        steps["mode"] = "done"
        await agent.load_session(cwd=folder, session_id=session.session_id, mcp_servers=[])
        steps["load"] = "done" if editor.updates > 5 else "failed: nothing was shown"
        listed = await agent.list_sessions(cwd=folder)
        steps["list"] = "done" if listed.sessions else "failed: nothing is listed"
        forked = await agent.fork_session(cwd=folder, session_id=session.session_id)
        steps["fork"] = "done" if forked.session_id != session.session_id else "failed"
    return steps


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2:]))))
