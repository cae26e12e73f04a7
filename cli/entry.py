"""The program `mcode`: a fork where a server has everything loaded, otherwise a start."""

import os
import sys
from typing import NoReturn

from ..config.exit_codes import INTERRUPTED
from .app import complete


def run() -> NoReturn:
    """Run the command line as a process of its own, which frees no object at its end."""
    code = _run_forked() if sys.platform == "linux" else None
    if code is None:
        code = complete()
        if sys.platform == "linux" and code != INTERRUPTED:
            _prepare_next()
    os._exit(code)


def _run_forked() -> int | None:
    from .fork_server.client import run_forked

    try:
        return run_forked(sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED


def _prepare_next() -> None:
    from .fork_server.client import RUNS

    if sys.argv[1:2] and sys.argv[1] in RUNS:
        from .fork_server.startup import start_server

        start_server(sys.argv[1:])
