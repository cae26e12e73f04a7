"""What the sandbox adds to a command: the same ones with it and without, in turn.

On the clock, since what is waited for is the kernel's work for the namespaces and mounts; medians
of what each pair differs by, so that what else the machine does counts for both.
"""

import asyncio
import os
import subprocess
import time
from pathlib import Path
from statistics import median

from gauge import Gauge
from table import Row

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.process.launcher import capture_output
from maxagent.tools.sandbox.bubblewrap import find_program
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.workspace import Workspace

REPETITIONS = 41
MOST = 30.0
"""Milliseconds more."""


def measure_sandbox(gauge: Gauge, project: Path) -> list[Row]:
    """In a small project and in one of 20,000 files; nothing where there is no sandbox."""
    if not find_program(os.environ["PATH"]):
        return [Row("bubblewrap is not installed: not measured", 0)]
    small, large = project.with_name("sandbox-small"), project.with_name("sandbox-large")
    return [
        row_of("a command in a project of 100 files", make_project(small, 100), MOST),
        row_of("a command in a project of 20,000 files", make_project(large, 20_000), None),
    ]


def make_project(folder: Path, files: int) -> Path:
    """A repository of so many files, with secrets and what steers tools."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    for number in range(files):
        path = folder / f"part_{number // 500}" / f"sub_{number // 20 % 25}" / f"file_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    for name in (".env", "part_0/server.key", "AGENTS.md", ".github/workflows/ci.yml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    return folder


def row_of(what: str, folder: Path, bar: float | None, repetitions: int = REPETITIONS) -> Row:
    """How much more a command costs in this project."""
    home = folder.with_name(f"{folder.name}-home")
    sandbox = open_sandbox(SandboxSection(mode="require"), Workspace(folder), home)
    bare, confined = asyncio.run(_times(sandbox, repetitions))
    more = [with_it - without for without, with_it in zip(bare, confined, strict=True)]
    detail = f"{median(confined) * 1000:.0f} ms : {median(bare) * 1000:.0f} ms without"
    return Row(f"{what}, ms more", median(more) * 1000, detail, bar)


async def _times(sandbox: Sandbox, repetitions: int) -> tuple[list[float], list[float]]:
    none = Sandbox(sandbox.workspace, sandbox.home)
    await _time(none), await _time(sandbox)  # the first ones start the supervisor and fill caches
    pairs = [(await _time(none), await _time(sandbox)) for _ in range(repetitions)]
    return [bare for bare, _ in pairs], [confined for _, confined in pairs]


async def _time(sandbox: Sandbox) -> float:
    root, started = sandbox.workspace.root, time.perf_counter()
    async with sandbox.wrap(["true"], root) as command:
        guard = command.guard
        done = await capture_output(command.argv, cwd=root, timeout=60, guard=guard)
    if done.exit_code:
        raise SystemExit(done.stderr.decode())
    return time.perf_counter() - started
