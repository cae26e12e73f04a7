"""`mcode`, which kills itself at a place of an MCP call: `KILL_AT=send:2:after mcp_victim.py …`."""

import os
import sys

from victim import deadly

from maxagent.cli.app import main
from maxagent.memory.journal import Journal
from maxagent.tools.mcp.client.session import McpSession

PLACES: dict[str, tuple[object, str]] = {
    "begin": (Journal, "begin_call"),
    "send": (McpSession, "call_tool"),
    "ask": (Journal, "ask_in_call"),
    "continue": (Journal, "continue_call"),
    "finish": (Journal, "finish_call"),
}

if __name__ == "__main__":
    place, number, side = os.environ.pop("KILL_AT").split(":")
    holder, name = PLACES[place]
    setattr(holder, name, deadly(getattr(holder, name), int(number), side))
    sys.argv[0] = "mcode"
    main()
