"""Find out what can confine commands here, and whether that does for the user."""

import asyncio
import os
import sys
import tempfile
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
from .syscall_filter import why_no_filter
from .system_paths import writable_folders

PROBE_TIME = 20.0
"""Seconds."""
_OFF = "turned off by `sandbox.mode`"
_INSTALL = "bubblewrap is not installed; `apt install bubblewrap` or `dnf install bubblewrap`"
_UNKNOWN = "not supported on this system; on Windows, use WSL"
_FAILS = "`{program}` does not work here, as in many containers: {said}"
_NOT_APART = "sandbox-exec closes them with the network only"
_COMPLAINTS: dict[tuple[Path, bool, bool], str] = {}
"""What was said when a program was probed: with the network and without, with a filter of system
calls and without."""


def open_sandbox(section: SandboxSection, workspace: Workspace, home: Path) -> Sandbox:
    """What confines the commands in a project; waits, so it is not for an event loop's thread.

    Raises UsageError for a wrong `sandbox.writable`, and where one is required and there is none.
    """
    clear(store_of(home, workspace.root))
    wanted = writable_folders(section.writable, workspace.root, home)
    there = tuple(folder for folder in wanted if folder.is_dir())
    missing = tuple(folder for folder in wanted if folder not in there)
    none = Sandbox(
        workspace,
        home,
        network=section.network,
        unix_sockets=section.unix_sockets == "allow",
        writable=there,
        missing=missing,
    )
    if section.mode == "off":
        return replace(none, why_none=_OFF)
    found = _found(none)
    if section.mode == "require" and not found.is_on:
        raise UsageError(
            f"a sandbox is required, but none is available: {found.why_none}",
            hint="or allow commands without a sandbox: set `sandbox.mode` to `auto` or `off`",
        )
    return found


def _found(none: Sandbox) -> Sandbox:
    if sys.platform == "linux":
        program = bubblewrap.find_program(
            entries_outside(os.environ.get("PATH", ""), none.workspace.root)
        )
        if program is None:
            return replace(none, why_none=_INSTALL)
        walled = replace(none, backend="bubblewrap", program=program)
        return _if_it_works(_filtered(walled))
    if sys.platform == "darwin" and seatbelt.PROGRAM.exists():
        walled = replace(none, backend="sandbox-exec", program=seatbelt.PROGRAM)
        return _if_it_works(replace(walled, why_unfiltered=_NOT_APART if none.network else ""))
    return replace(none, why_none=_UNKNOWN)


def _filtered(sandbox: Sandbox) -> Sandbox:
    """The same without the filter of system calls, where the wall works with none only."""
    why = why_no_filter() or _known_complaint(sandbox)
    return replace(sandbox, why_unfiltered=why)


def _if_it_works(sandbox: Sandbox) -> Sandbox:
    complaint = _known_complaint(sandbox)
    if not complaint:
        return sandbox
    why = _FAILS.format(program=sandbox.program, said=complaint)
    return replace(sandbox, backend="none", why_none=why)


def _known_complaint(sandbox: Sandbox) -> str:
    """Probed once: what a system forbids it forbids in every folder."""
    key = (sandbox.program, sandbox.network, not sandbox.why_unfiltered)
    if key not in _COMPLAINTS:
        _COMPLAINTS[key] = _complaint(sandbox)
    return _COMPLAINTS[key]


def _complaint(sandbox: Sandbox) -> str:
    """Why no wall can be built; empty when one can, though a socket may vanish meanwhile."""
    said = ""
    with tempfile.TemporaryDirectory(prefix="maxagent-") as folder:
        for _ in range(TRIES):
            said = _said_by(sandbox.probe(Path(folder)))
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
