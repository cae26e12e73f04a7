"""Processes that outlive what started them, found by the trial's folder in their /proc entries."""

import os
import time
from pathlib import Path


def leftovers(folder: Path, within: float = 30.0) -> list[str]:
    """The processes of a trial that are alive that many seconds later; returns early with none."""
    deadline = time.monotonic() + within
    while (alive := _alive(str(folder).encode())) and time.monotonic() < deadline:
        time.sleep(0.02)
    return alive


def _alive(mark: bytes) -> list[str]:
    entries = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    own = str(os.getpid())
    return [_shown(entry) for entry in entries if entry.name != own and mark in _traces(entry)]


def _traces(entry: Path) -> bytes:
    """Command line, environment and working folder; a zombie has none of them."""
    try:
        parts = [(entry / name).read_bytes() for name in ("cmdline", "environ")]
        return b"\0".join([*parts, os.fsencode(os.readlink(entry / "cwd"))])
    except OSError:  # it has ended meanwhile
        return b""


def _shown(entry: Path) -> str:
    try:
        words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        words = "(ended)"
    return f"process {entry.name}: {words}"
