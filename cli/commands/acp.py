"""`mcode acp`: conversations in an editor that speaks the Agent Client Protocol."""

import os
import sys
from collections.abc import Iterator
from itertools import chain

from ..acp.capabilities import ClientFeatures, answer_initialize
from ..acp.frames import read_frames


def acp() -> None:
    """Serve an editor over the Agent Client Protocol, on stdin and stdout."""
    stdout = os.dup(1)
    os.dup2(2, 1)  # whatever else prints must not reach the client
    sys.stdout = sys.stderr
    frames = read_frames(0)
    first = next(frames, None)
    try:
        client = answer_initialize(first, stdout) if first else None
    except OSError:  # the client is gone
        return
    if first:
        _serve(frames if client else chain([first], frames), stdout, client or ClientFeatures())


def _serve(frames: Iterator[bytes], stdout: int, client: ClientFeatures) -> None:
    """Serve with all that it takes, which is imported after the first answer."""
    import asyncio

    from ..acp.agent import AcpAgent

    asyncio.run(AcpAgent(frames, stdout, client).serve())
