"""`mcode` started warm: a process that has loaded all libraries forks it for each call.

To load them is three quarters of what a start costs. Forked, it is a process like any other, with
an environment, a folder and streams of its own, from its first line to its exit code. How a fresh
one comes to be is left to the many tests that start one: windows, kills, pipes, the docs' examples.
"""

import atexit
import gc
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

LOADED = (
    "maxagent.cli.chat_run",
    "maxagent.cli.drive",
    "maxagent.graphs.chat",
    "maxagent.graphs.edit",
    "maxagent.graphs.task",
    "maxagent.sdk.runner",
    "langchain_openai",
)
LANG = "C.UTF-8"
_NUMBER = struct.Struct("!i")

Output = tuple[int, str, str]
"""Exit code, negative for a signal, and what stdout and stderr got."""


def is_possible(environ: Mapping[str, str]) -> bool:
    """Whether nothing in the environment is read by Python itself at its start."""
    own = [name for name in environ if name.startswith(("PYTHON", "LC_", "LD_"))]
    return sys.platform == "linux" and environ.get("LANG") == LANG and not own


@cache
def warm_start() -> "WarmStart":
    """The one of this process; it ends with it."""
    warm = WarmStart()
    atexit.register(warm.close)
    return warm


class WarmStart:
    """The process that forks."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(number)],
                env={"PATH": os.environ["PATH"], "LANG": LANG},
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        environ: Mapping[str, str],
        stdin: IO[bytes],
        timeout: float,
    ) -> Output:
        """Run `mcode` to its end; one that hangs is killed and raises TimeoutError."""
        request = {"argv": arguments, "cwd": str(folder), "env": dict(environ)}
        ours, theirs = socket.socketpair()
        out, err = os.pipe(), os.pipe()
        with closing(ours), TemporaryFile() as asked:
            asked.write(json.dumps(request).encode())
            asked.seek(0)
            given = [theirs.fileno(), asked.fileno(), stdin.fileno(), out[1], err[1]]
            socket.send_fds(self._control, [b"C"], given)
            theirs.close()
            for end in (out[1], err[1]):
                os.close(end)
            with ThreadPoolExecutor(2) as readers:
                texts = readers.map(_read, (out[0], err[0]))
                code = _waited_for(ours, timeout)
            return (code, *texts)  # type: ignore[return-value]

    def close(self) -> None:
        """End it."""
        self._control.close()
        self._process.communicate()


def _waited_for(channel: socket.socket, timeout: float) -> int:
    channel.settimeout(timeout)
    (pid,) = _NUMBER.unpack(channel.recv(_NUMBER.size))
    try:
        return _NUMBER.unpack(channel.recv(_NUMBER.size))[0]
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise


def _read(pipe: int) -> str:
    with open(pipe, encoding="utf-8") as stream:
        return stream.read()


def _serve(control: socket.socket) -> None:
    """Fork for each call, until nobody calls any more."""
    while True:
        called, descriptors, _, _ = socket.recv_fds(control, 1, 5)
        if not called:
            return
        child = os.fork()
        if child == 0:
            control.close()
            _be_mcode(descriptors)
        with socket.socket(fileno=descriptors[0]) as channel:
            for other in descriptors[1:]:
                os.close(other)
            channel.sendall(_NUMBER.pack(child))
            status = os.waitpid(child, 0)[1]
            channel.sendall(_NUMBER.pack(os.waitstatus_to_exitcode(status)))


def _be_mcode(descriptors: Sequence[int]) -> None:
    """What `python -m maxagent` does in a process of its own; does not come back."""
    from maxagent.cli.app import main

    channel, asked, *streams = descriptors
    os.close(channel)
    with open(asked, encoding="utf-8") as stream:
        request = json.load(stream)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.argv[1:] = request["argv"]
    main()


if __name__ == "__main__":
    del sys.path[0]  # what lies beside this file is not on the way of `mcode`
    for name in LOADED:
        __import__(name)
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
