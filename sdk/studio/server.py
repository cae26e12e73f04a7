"""LangGraph's dev server on the user's own threads: the same database, the same graph.

It runs in this process, so both end together. The files that it pickles into its working folder are
deleted: the threads are in our database, and at its next start it would repeat the runs that were
active at its end.
"""

import json
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from urllib.request import urlopen

from ...config import paths
from ...config.errors import MaxAgentError, UsageError
from ...config.text import text
from ...memory.threads.index import ThreadIndex
from .client_context import MODE_VARIABLE

HOST = "127.0.0.1"
QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGGRAPH_STRICT_MSGPACK": "true",
    "LANGSMITH_TRACING": "false",
    "LOG_LEVEL": "ERROR",
}
# If one is set, the server has routes before our check
MOUNT_PREFIXES = ("MOUNT_PREFIX", "LANGGRAPH_MOUNT_PREFIX")
# Runs at once; with the server's default of one, a paused run blocks the next
JOBS = 10


def serve(home: Path, port: int, mode: str, on_ready: Callable[[str, str, int], None]) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` gets address, link and number of threads.

    `mode` is the loosest approval mode of any run; empty: the user's own. Takes this process over:
    its environment, its signals, its standard output. Raises MaxAgentError when the server is not
    installed or does not start, UsageError for a busy port.
    """
    if find_spec("langgraph_api") is None:
        raise MaxAgentError(
            "LangGraph's dev server is not installed", hint='pip install "maxagent[studio]"'
        )
    count = ThreadIndex(home).count()
    _check_port(port)
    os.environ.update({**QUIET, "MAXAGENT_HOME": str(home)})
    os.environ.update({MODE_VARIABLE: mode} if mode else {})
    for name in MOUNT_PREFIXES:
        os.environ.pop(name, None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    Thread(target=_announce_server, args=(count, on_ready), daemon=True).start()
    with (
        TemporaryDirectory(prefix="studio-", dir=paths.ensure_data_folder(home)) as folder,
        chdir(folder),
        redirect_stdout(sys.stderr),
    ):
        _run_server(port)


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise UsageError(
                text("cannot listen on port {port}: {reason}", port=port, reason=reason),
                hint="another server may use this port; choose another with `--port`",
            ) from error


def _run_server(port: int) -> None:
    logging.basicConfig(level=logging.WARNING)  # before the server logs its long greeting
    from langgraph_api.cli import run_server  # pyright: ignore[reportUnknownVariableType]

    config = json.loads((resources.files("maxagent") / "langgraph.json").read_text())
    try:
        run_server(
            HOST,
            port,
            graphs=config["graphs"],
            checkpointer=config["checkpointer"],
            store=config["store"],
            http=config["http"],
            n_jobs_per_worker=JOBS,
        )
    except SystemExit as error:  # uvicorn's way to report a failed start
        raise MaxAgentError(
            "LangGraph's dev server did not start", hint="see its output above"
        ) from error


def _announce_server(count: int, on_ready: Callable[[str, str, int], None]) -> None:
    """Call `on_ready` once the server answers."""
    from .access_control import build_secret_address, build_studio_link

    while not (address := build_secret_address()) or not _is_ready(address):
        time.sleep(0.1)
    on_ready(address, build_studio_link(address), count)


def _is_ready(address: str) -> bool:
    try:
        with urlopen(f"{address}/ok", timeout=1):
            return True
    except OSError:
        return False
