"""`mcode` and LangGraph's server, each a process of its own, on one home."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from confinement import SURROUNDINGS
from program import PATIENCE, Ended
from warm_start import run_mcode

from maxagent import trust

ROOT = Path(__file__).parents[2]
MCODE = (sys.executable, "-m", "maxagent")
LANGGRAPH_DEV = (
    *(sys.executable, "-m", "langgraph_cli", "dev", "--config", str(ROOT / "langgraph.json")),
    *("--no-browser", "--no-reload", "--n-jobs-per-worker", "4"),
)

_UDP = socket.SOCK_DGRAM
_PORTS = iter(range(20_000 + os.getpid() % 100 * 100, 32_000))
"""Below those for any, and begun at another place by each process of tests."""


@dataclass(frozen=True)
class House:
    """A home and projects in it; nothing of the tester's own settings."""

    folder: Path

    @property
    def environ(self) -> dict[str, str]:
        """What every process is given; the test command proves that the file was written."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "MAXAGENT_HOME": str(self.folder / "home"),
            "LLC_TASK__TEST_COMMAND": "test -s log.txt",
            **SURROUNDINGS,
            "PYTHONFAULTHANDLER": "1",
            "LANGGRAPH_CLI_NO_ANALYTICS": "1",
            "LANGGRAPH_NO_VERSION_CHECK": "true",
        }

    def project(self, name: str, turns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """A task of this coder in a new project, as the server takes it."""
        folder = self.folder / name
        folder.mkdir()
        trust(folder, self.folder / "home")
        script = self.folder / f"{name}.json"
        architect, tester = [{"text": "SMALL: log.txt"}], [{"text": "Accepted."}]
        roles = {"architect": architect, "coder": list(turns), "tester": tester}
        script.write_text(json.dumps(roles))
        options = {"model": f"scripted/{script}", "apply": True}
        return {"request": f"the task {name}", "folder": str(folder), "options": options}

    def mcode(self, *arguments: str) -> Ended:
        """Run a command to its end."""
        done = run_mcode(arguments, Path.cwd(), self.environ)
        return Ended(done.returncode, done.stdout, done.stderr)

    def begin(self, task: Mapping[str, Any]) -> Ended:
        """`mcode task` to its end."""
        options = ["--folder", task["folder"], "--model", task["options"]["model"], "--apply"]
        return self.mcode("task", task["request"], *options, "--output", "json")

    def status(self, thread: str) -> str:
        """How the list of threads says that this one stands."""
        return json.loads(self.mcode("threads", "show", thread, "--json").stdout)["status"]

    @contextmanager
    def serve(
        self, *command: str, has_secret: bool = True
    ) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
        """Run a server on a free port; yields its address once it answers, stops it at the end."""
        port, log = free_port(), self.folder / "server.log"
        with log.open("w") as stderr:
            process = subprocess.Popen(
                [*command, "--port", str(port)],
                cwd=self.folder,
                env=self.environ,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        with process:
            try:
                address = f"http://127.0.0.1:{port}"
                if has_secret:
                    address = printed_address(process, port)
                wait_for_answer(process, address)
                yield address, process
            finally:
                if process.poll():
                    print(f"the server has ended with {process.poll()}:\n{log.read_text()}")
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=PATIENCE)


def free_port() -> int:
    """A port that nobody listens on now, and that the system gives nobody who asks for any.

    The UDP port of the same number is kept as long as this process lives: other processes of tests
    pass over it, also while the server does not listen yet.
    """
    for port in _PORTS:
        with suppress(OSError), socket.socket() as probe, socket.socket(type=_UDP) as claim:
            claim.bind(("127.0.0.1", port))
            probe.bind(("127.0.0.1", port))
            claim.detach()
            return port
    raise RuntimeError("no port is free")


def printed_address(process: "subprocess.Popen[str]", port: int) -> str:
    """Where the server says that it will answer, with its secret."""
    assert process.stdout
    printed = re.compile(rf"/studio/\?baseUrl=(http://127\.0\.0\.1:{port}/[\w-]{{43}})")
    return next((match[1] for line in process.stdout if (match := printed.search(line))), "")


def wait_for_answer(process: "subprocess.Popen[str]", address: str) -> None:
    """Return once the server answers; raises RuntimeError if it ends."""
    while process.poll() is None:
        try:
            with urlopen(f"{address}/ok", timeout=5):
                return
        except OSError:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
    raise RuntimeError(f"the server ended with {process.returncode}")
