"""Detection of the sandbox backend, and whether it fits the user's settings."""

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.errors import UsageError
from ...config.security.executables import drop_project_entries
from ...config.settings.policy_file import load_managed_policy
from ...config.settings.policy_layer import limit_sandbox
from ...config.settings.schema import SandboxSection
from ...config.text import text
from ...memory.worktrees.record import find_origins
from ..process.launcher import capture_output
from ..workspace import Workspace
from . import bubblewrap, seatbelt
from .execution import TRIES
from .sandbox import ConfinedCommand, Sandbox, get_store_folder
from .syscall_filter import find_filter_problem
from .system_paths import resolve_writable_folders

if TYPE_CHECKING:
    from ...config.settings.managed_policy import ManagedPolicy

# Content that equals a missing file of git
_AS_IF_MISSING = {"commondir": b".\n", "config": b"", "config.worktree": b""}
# Seconds for one probe
PROBE_TIME = 20.0
_OFF = "turned off by `sandbox.mode`"
_INSTALL = "bubblewrap is not installed; `apt install bubblewrap` or `dnf install bubblewrap`"
_UNKNOWN = "not supported on this system; on Windows, use WSL"
_FAILS = "`{program}` does not work here, as in many containers: {reason}"
_NOT_APART = "sandbox-exec can only close them together with the network"
# The probe's error by program, and by owner rights, network, system call filter and guard
_COMPLAINTS: dict[tuple[Path, bool, bool, bool, bool], str] = {}


def remove_leftovers(store: Path) -> None:
    """Remove what the ledger in the project's `store` names and nobody has used since."""
    try:
        lines = (store / "ledger").read_bytes().splitlines()
    except OSError:
        return
    for line in reversed(lines):
        with contextlib.suppress(OSError, ValueError):  # now the user's, or a torn line
            place = Path(json.loads(line))
            if os.path.isdir(place):
                place.rmdir()
            elif place.read_bytes() == _AS_IF_MISSING.get(place.name):
                place.unlink()
    shutil.rmtree(store, ignore_errors=True)


def open_sandbox(section: SandboxSection, workspace: Workspace, home: Path) -> Sandbox:
    """Open the sandbox of a project; blocks, so do not call it in an event loop's thread.

    Raises UsageError for an invalid `sandbox.writable`, and if a sandbox is required but missing.
    """
    managed = load_managed_policy()
    section = limit_sandbox(section, managed)
    remove_leftovers(get_store_folder(home, workspace.root))
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
    if managed and managed.keys.sandbox.mode == "require":
        _check_strength(sandbox, managed)
    if section.mode == "require" and not sandbox.is_on:
        raise UsageError(
            text("a sandbox is required, but not available: {reason}", reason=sandbox.why_none),
            hint="or set `sandbox.mode` to `auto` or `off` to run commands without a sandbox",
        )
    return sandbox


def _check_strength(sandbox: Sandbox, managed: "ManagedPolicy") -> None:
    """Raise UsageError if there is no sandbox as strong as the policy requires."""
    has_sockets = managed.keys.sandbox.unix_sockets == "deny" and bool(sandbox.why_unfiltered)
    if sandbox.is_on and not has_sockets:
        return
    raise UsageError(
        text(
            "the policy ({place}) requires a sandbox, but: {reason}",
            place=managed.locate("sandbox", "mode"),
            reason=sandbox.why_unfiltered if sandbox.is_on else sandbox.why_none,
        ),
        hint="make the sandbox work here (`mcode doctor`), or ask whoever administers this machine",
    )


def _find_origins(workspace: Workspace, home: Path) -> tuple[Workspace, ...]:
    return tuple(replace(workspace, root=root) for root in find_origins(workspace.root, home))


def _detect_backend(none: Sandbox) -> Sandbox:
    if sys.platform == "linux":
        program = bubblewrap.find_program(
            drop_project_entries(os.environ.get("PATH", ""), none.workspace.root)
        )
        if program is None:
            return replace(none, why_none=_INSTALL)
        return _choose_variant(replace(none, backend="bubblewrap", program=program))
    if sys.platform == "darwin" and seatbelt.PROGRAM.exists():
        on_macos = replace(none, backend="sandbox-exec", program=seatbelt.PROGRAM)
        why = _NOT_APART if none.network else ""
        return _verify_sandbox(replace(on_macos, why_unfiltered=why, why_unguarded=""))
    return replace(none, why_none=_UNKNOWN)


def _choose_variant(sandbox: Sandbox) -> Sandbox:
    """Return the strongest sandbox that works; root first tries to keep its owner rights."""
    if os.geteuid() == 0:
        found, complaint = _find_variant(replace(sandbox, owner_rights=True))
        if not complaint:
            return found
        sandbox = replace(sandbox, why_no_rights=complaint)
    return _verify_sandbox(_find_variant(sandbox)[0])


def _find_variant(sandbox: Sandbox) -> tuple[Sandbox, str]:
    """Return it with guard and filter, as far as it works with them, and why it does not at all."""
    problem = complaint = find_filter_problem()
    if not problem:
        if not (complaint := _probe_once(sandbox)):
            return sandbox, ""
        sandbox = replace(sandbox, why_unguarded=complaint)
        if not (complaint := _probe_once(sandbox)):
            return sandbox, ""
    sandbox = replace(sandbox, why_unfiltered=complaint, why_unguarded=complaint)
    return sandbox, _probe_once(sandbox)


def _verify_sandbox(sandbox: Sandbox) -> Sandbox:
    complaint = _probe_once(sandbox)
    if not complaint:
        return sandbox
    why = text(_FAILS, program=sandbox.program, reason=complaint)
    return replace(sandbox, backend="none", why_none=why)


def _probe_once(sandbox: Sandbox) -> str:
    """Probe the sandbox once: system restrictions apply to every folder."""
    key = (
        sandbox.program,
        sandbox.owner_rights,
        sandbox.network,
        not sandbox.why_unfiltered,
        not sandbox.why_unguarded,
    )
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


def _run_probe(probe: ConfinedCommand) -> str:
    """Explain why a command fails; empty if it runs."""
    probing = capture_output(probe.argv, cwd=Path("/"), timeout=PROBE_TIME, guard=probe.guard)
    with ThreadPoolExecutor(1) as thread:  # the caller's thread may have its own loop
        done = thread.submit(asyncio.run, probing).result()
    if done.exit_code == 0:
        return ""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else text("exit code {exit_code}", exit_code=done.exit_code)
