"""`mcode acp`: conversations in an editor that speaks the Agent Client Protocol."""

import asyncio
import os
import sys


def acp() -> None:
    """Serve an editor over the Agent Client Protocol, on stdin and stdout."""
    from ..acp.agent import AcpAgent

    stdout = os.dup(1)
    os.dup2(2, 1)  # whatever else prints must not reach the client
    sys.stdout = sys.stderr
    asyncio.run(AcpAgent(0, stdout).serve())
