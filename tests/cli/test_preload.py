"""What is loaded before a fork is the same for every run: nothing of a user, and one thread."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent.cli.app import COMMANDS
from maxagent.cli.fork_server.client import RUNS

PROGRAM = """
import os, sys, threading
opened = []
EVENTS = {"open", "os.listdir", "os.scandir", "subprocess.Popen", "socket.connect"}
sys.addaudithook(lambda event, args: opened.append(args[0]) if event in EVENTS else None)
from maxagent.cli import preload
preload.load_everything()
package = os.path.dirname(sys.modules["maxagent"].__file__)
own = (package, sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix), "<")
paths = [os.fsdecode(path) for path in opened if not isinstance(path, int)]
print([path for path in paths if not path.startswith(own)])
print(threading.active_count(), len(os.listdir("/proc/self/task")))
print("psycopg" in sys.modules, "mcp" in sys.modules, "langgraph.pregel" in sys.modules)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there is a server on Linux alone")
def test_nothing_of_a_user_is_loaded(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["[]", "1 1", "False False True"], done.stderr


def test_every_forked_command_is_one() -> None:
    assert set(COMMANDS) >= RUNS
