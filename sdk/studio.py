"""LangGraph's dev server on the user's own threads: the same database, the same graphs.

The server keeps pickled state in its working folder, so that is ours and never a project's.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from ..config import paths
from ..config.errors import MaxAgentError

SAVER = "from maxagent.memory.checkpointer import studio_checkpointer as open_saver\n"
SERVER = {
    "dependencies": ["."],
    "graphs": {"task": "maxagent.graphs.task:graph"},
    "checkpointer": {"path": "./saver.py:open_saver"},
}
QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGGRAPH_STRICT_MSGPACK": "true",
    "LANGSMITH_TRACING": "false",
}
JOBS = 10
"""Runs at once; with the server's default of one, a paused run blocks the next."""
ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost):\d+")


def start_server(home: Path, port: int) -> subprocess.Popen[str]:
    """Start `langgraph dev` with our data folder as its own; raises when it is not installed."""
    if find_spec("langgraph_cli") is None or find_spec("langgraph_api") is None:
        raise MaxAgentError(
            "LangGraph's dev server is not installed", hint='pip install "maxagent[studio]"'
        )
    folder = _prepared(home)
    options = ["--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", str(port)]
    return subprocess.Popen(
        [sys.executable, "-m", "langgraph_cli", "dev", *options, "--n-jobs-per-worker", str(JOBS)],
        cwd=folder,
        env={**os.environ, **QUIET, "MAXAGENT_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def address_of(lines: Iterable[str]) -> str:
    """The address that the server says it listens on: a busy port makes it take another."""
    for line in lines:
        if found := ADDRESS.search(line):
            return found.group()
    raise MaxAgentError("LangGraph's dev server ended before it listened")


def register_threads(address: str, thread_ids: Iterable[str]) -> int:
    """Make threads that the command line began known to the server; returns how many."""
    from langgraph_sdk import get_sync_client

    known = list(thread_ids)
    with get_sync_client(url=address) as client:
        for thread_id in known:
            client.threads.create(thread_id=thread_id, graph_id="task", if_exists="do_nothing")
    return len(known)


def _prepared(home: Path) -> Path:
    folder = paths.data_folder(home) / "studio"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "langgraph.json").write_text(json.dumps(SERVER, indent=2), encoding="utf-8")
    (folder / "saver.py").write_text(SAVER, encoding="utf-8")
    return folder
