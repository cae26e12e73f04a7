"""Runs a program against the model server and measures the processor time it has spent.

Processor time, user and system, not the clock on the wall: what else the machine does then matters
little. The server reads a program's time at each of its requests, before it answers.
"""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from provider import Answer, Provider, Request

REFUSED: Answer = {"status": 400, "body": {"error": {"message": "the bench is over"}}}
"""Ends any program at once; a thread can be resumed afterwards."""
PATIENCE = 600.0
"""Seconds until a program that hangs is killed."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Ran:
    """One run of one program."""

    cpu: float
    """Seconds from exec to the end, with all children."""
    memory: float
    """Most MB that it had in memory at once until its last request; 0 without requests."""
    marks: list[float]
    """Seconds spent when each request came."""
    waits: list[float]
    """Seconds on the clock until each request came."""
    requests: list[Request]
    exit_code: int
    said: str
    """What it wrote on stderr."""

    def between(self, first: int, last: int) -> float:
        """Seconds of each step from one request to another."""
        return (self.marks[last] - self.marks[first]) / (last - first)


class Gauge:
    """Measures one program after the other."""

    def __init__(self, server: Provider, folder: Path) -> None:
        self._server = server
        self._errors = folder / "stderr.txt"

    @property
    def url(self) -> str:
        """Where programs find the model."""
        return self._server.url

    def run(
        self,
        argv: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        answers: Sequence[Answer] = (),
    ) -> Ran:
        """Run to the end; the model gives these answers and then refuses."""
        self._server.requests.clear()
        marks, waits, peaks = list[float](), list[float](), [0.0]
        left = iter(answers)

        def answer(request: Request) -> Answer:
            waits.append(time.monotonic() - start)
            marks.append(spent(process.pid) + sum(map(spent, list_forks())))
            peaks.append(peak(process.pid))
            return next(left, REFUSED)

        self._server.script(answer)
        with self._errors.open("w+b") as errors:
            start = time.monotonic()
            process = subprocess.Popen(
                argv, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=errors
            )
            cpu = _end_of(process)
            errors.seek(0)
            said = errors.read().decode(errors="replace")
        requests = list(self._server.requests)
        return Ran(cpu, peaks[-1], marks, waits, requests, process.returncode, said)


def spent(pid: int) -> float:
    """Seconds that a running process has spent, with those of its children that have ended.

    Its own come from the process's clock, in nanoseconds (`clock_getcpuclockid(3)`); its
    children's from `/proc`, in ticks of usually 10 ms.
    """
    own = time.clock_gettime(~pid << 3 | 2)
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return own + (int(fields[13]) + int(fields[14])) / TICKS


def list_forks() -> list[int]:
    """What a fork server of `mcode` has forked; the client is not its parent."""
    forks: list[int] = []
    for comm in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):
            status = comm.with_name("status").read_text()
            parent = int(status.partition("PPid:")[2].split(maxsplit=1)[0])
            command = Path(f"/proc/{parent}/cmdline").read_bytes()
            if comm.read_text() == "mcode\n" and b"maxagent.cli.preload" in command:
                forks.append(int(comm.parent.name))
    return forks


def peak(pid: int) -> float:
    """Most MB that a running process had in memory; `ru_maxrss` would include its parent's."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split(maxsplit=1)[0]) * 1024 / 1e6


def _end_of(process: subprocess.Popen[bytes]) -> float:
    killer = Timer(PATIENCE, process.kill)
    killer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime
