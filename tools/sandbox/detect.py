"""Find out what can confine commands here, and whether that does for the user."""

import asyncio
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from ...config.errors import UsageError
from ...config.security.executables import entries_outside
from ...config.settings.schema import SandboxSection
from ..process.launcher import capture
from ..workspace import Workspace
from . import bubblewrap, seatbelt
from .placeholders import clear
from .run_sandboxed import TRIES
from .sandbox import Sandbox, store_of
from .system_paths import writable_folders

PROBE_TIME = 20.0
"""Seconds."""
_OFF = "switched off by `sandbox.mode`"
_INSTALL = "bubblewrap is not installed; `apt install bubblewrap` or `dnf install bubblewrap`"
_UNKNOWN = "MaxAgent knows none for this system; on Windows work in WSL"
_FAILS = "`{program}` does not work here, as in many containers: {said}"
_COMPLAINTS: dict[tuple[Path, bool], str] = {}
"""What was said when a program was probed, with the network and without."""


def open_sandbox(section: SandboxSection, workspace: Workspace, home: Path) -> Sandbox:
    """What confines the commands in a project; waits, so it is not for an event loop's thread.

    Raises UsageError for a wrong `sandbox.writable`, and where one is required and there is none.
    """
    clear(store_of(home, workspace.root))
    wanted = writable_folders(section.writable, workspace.root, home)
    there = tuple(folder for folder in wanted if folder.is_dir())
    missing = tuple(folder for folder in wanted if folder not in there)
    none = Sandbox(workspace, home, network=section.network, writable=there, missing=missing)
    if section.mode == "off":
        return replace(none, why_none=_OFF)
    found = _found(none)
    if section.mode == "require" and not found.is_on:
        raise UsageError(
            f"a sandbox is required, but there is none: {found.why_none}",
            hint="or let commands run without: `sandbox.mode` is `auto` or `off`",
        )
    return found


def _found(none: Sandbox) -> Sandbox:
    if sys.platform == "linux":
        program = bubblewrap.find_program(
            entries_outside(os.environ.get("PATH", ""), none.workspace.root)
        )
        if program is None:
            return replace(none, why_none=_INSTALL)
        return _if_it_works(replace(none, backend="bubblewrap", program=program))
    if sys.platform == "darwin" and seatbelt.PROGRAM.exists():
        return _if_it_works(replace(none, backend="sandbox-exec", program=seatbelt.PROGRAM))
    return replace(none, why_none=_UNKNOWN)


def _if_it_works(sandbox: Sandbox) -> Sandbox:
    """Probed once: what a system forbids it forbids in every folder."""
    key = (sandbox.program, sandbox.network)
    if key not in _COMPLAINTS:
        _COMPLAINTS[key] = _complaint(sandbox)
    if not _COMPLAINTS[key]:
        return sandbox
    why = _FAILS.format(program=sandbox.program, said=_COMPLAINTS[key])
    return replace(sandbox, backend="none", why_none=why)


def _complaint(sandbox: Sandbox) -> str:
    """Why no wall can be built; empty when one can, though a socket may vanish meanwhile."""
    said = ""
    for _ in range(TRIES):
        said = _said_by(sandbox.probe())
        if not said:
            break
    return said


def _said_by(argv: Sequence[str]) -> str:
    """Why a command line does not run; empty when it does."""
    probing = capture(argv, cwd=Path("/"), timeout=PROBE_TIME)
    with ThreadPoolExecutor(1) as thread:  # the caller's may have a loop of its own
        done = thread.submit(asyncio.run, probing).result()
    if done.exit_code == 0:
        return ""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else f"exit code {done.exit_code}"
