"""Detection of the sandbox backend, and whether it fits the user's settings."""

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from ...config.errors import UsageError
from ...config.security.executables import drop_project_entries
from ...config.settings.schema import SandboxSection
from ...config.text import text
from ...memory.worktrees.record import find_origins
from ..process.launcher import capture_output
from ..workspace import Workspace
from . import bubblewrap, seatbelt
from .execution import TRIES
from .placeholders import clear_leftovers
from .sandbox import Sandbox, get_store_folder
from .syscall_filter import find_filter_problem
from .system_paths import resolve_writable_folders

# Seconds for one probe
PROBE_TIME = 20.0
_OFF = "turned off by `sandbox.mode`"
_INSTALL = "bubblewrap is not installed; `apt install bubblewrap` or `dnf install bubblewrap`"
_UNKNOWN = "not supported on this system; on Windows, use WSL"
_FAILS = "`{program}` does not work here, as in many containers: {said}"
_NOT_APART = "sandbox-exec can only close them together with the network"
# The probe's error by program, with and without network, with and without system call filter
_COMPLAINTS: dict[tuple[Path, bool, bool], str] = {}


def open_sandbox(section: SandboxSection, workspace: Workspace, home: Path) -> Sandbox:
    """Open the sandbox of a project; blocks, so do not call it in an event loop's thread.

    Raises UsageError for an invalid `sandbox.writable`, and if a sandbox is required but missing.
    """
    clear_leftovers(get_store_folder(home, workspace.root))
    folders = resolve_writable_folders(section.writable, workspace.root, home)
    there = tuple(folder for folder in folders if folder.is_dir())
    missing = tuple(folder for folder in folders if folder not in there)
    none = Sandbox(
        workspace,
        home,
        network=section.network,
        unix_sockets=section.unix_sockets == "allow",
        writable=there,
        missing=missing,
        origins=_find_origins(workspace, home),
    )
    if section.mode == "off":
        return replace(none, why_none=_OFF)
    sandbox = _detect_backend(none)
    if section.mode == "require" and not sandbox.is_on:
        raise UsageError(
            text("a sandbox is required, but not available: {reason}", reason=sandbox.why_none),
            hint="or set `sandbox.mode` to `auto` or `off` to run commands without a sandbox",
        )
    return sandbox


def _find_origins(workspace: Workspace, home: Path) -> tuple[Workspace, ...]:
    return tuple(replace(workspace, root=root) for root in find_origins(workspace.root, home))


def _detect_backend(none: Sandbox) -> Sandbox:
    if sys.platform == "linux":
        program = bubblewrap.find_program(
            drop_project_entries(os.environ.get("PATH", ""), none.workspace.root)
        )
        if program is None:
            return replace(none, why_none=_INSTALL)
        walled = replace(none, backend="bubblewrap", program=program)
        return _verify_sandbox(_with_filter(walled))
    if sys.platform == "darwin" and seatbelt.PROGRAM.exists():
        walled = replace(none, backend="sandbox-exec", program=seatbelt.PROGRAM)
        return _verify_sandbox(replace(walled, why_unfiltered=_NOT_APART if none.network else ""))
    return replace(none, why_none=_UNKNOWN)


def _with_filter(sandbox: Sandbox) -> Sandbox:
    """Return the sandbox, without the system call filter if it works only without it."""
    why = find_filter_problem() or _probe_once(sandbox)
    return replace(sandbox, why_unfiltered=why)


def _verify_sandbox(sandbox: Sandbox) -> Sandbox:
    complaint = _probe_once(sandbox)
    if not complaint:
        return sandbox
    why = text(_FAILS, program=sandbox.program, said=complaint)
    return replace(sandbox, backend="none", why_none=why)


def _probe_once(sandbox: Sandbox) -> str:
    """Probe the sandbox once: system restrictions apply to every folder."""
    key = (sandbox.program, sandbox.network, not sandbox.why_unfiltered)
    if key not in _COMPLAINTS:
        _COMPLAINTS[key] = _probe_sandbox(sandbox)
    return _COMPLAINTS[key]


def _probe_sandbox(sandbox: Sandbox) -> str:
    """Explain why the sandbox cannot start; empty if it can. A socket may still vanish later."""
    reason = ""
    with tempfile.TemporaryDirectory(prefix="maxagent-") as folder:
        for _ in range(TRIES):
            reason = _run_probe(sandbox.build_probe_command(Path(folder)))
            if not reason:
                break
    return reason


def _run_probe(argv: Sequence[str]) -> str:
    """Explain why a command line fails; empty if it runs."""
    probing = capture_output(argv, cwd=Path("/"), timeout=PROBE_TIME)
    with ThreadPoolExecutor(1) as thread:  # the caller's thread may have its own loop
        done = thread.submit(asyncio.run, probing).result()
    if done.exit_code == 0:
        return ""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else text("exit code {exit_code}", exit_code=done.exit_code)
