"""Linux backend: a sandbox profile as the arguments of `bwrap`, with namespaces and mounts.

Inside, the machine's users, network, processes and devices do not exist. A command cannot move,
replace or remove a mount, or the folder on which it is mounted.
"""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .profile import SandboxProfile

_NAMESPACES = (
    "--unshare-user-try",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
_NO_NETWORK = "--unshare-net"
_CONFINED = ("--die-with-parent", "--new-session", "--cap-drop", "ALL")
_EVERYTHING = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
# Bound without device access it cannot be opened at all; with it, it is empty
_NULL = "/dev/null"
# Opens the filter: bubblewrap reads it from a descriptor, and a child process inherits none
_WITH_FILTER = ("/bin/sh", "-c", 'exec "$@" 9<"$0"')


def find_program(search: str) -> Path | None:
    """Return the first `bwrap` on a search path that only root can have installed."""
    candidates = (Path(folder, "bwrap") for folder in search.split(os.pathsep) if folder)
    return next((real for candidate in candidates if (real := _resolve_trusted(candidate))), None)


def _resolve_trusted(program: Path) -> Path | None:
    real = Path(os.path.realpath(program))
    if not program.is_absolute() or not os.access(real, os.X_OK):
        return None
    return real if all(_is_owned_by_root(place) for place in (real, *real.parents)) else None


def _is_owned_by_root(place: Path) -> bool:
    about = place.stat()
    return about.st_uid == 0 and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def build_arguments(
    program: Path,
    wall: SandboxProfile,
    argv: Sequence[str],
    cwd: Path,
    syscalls: Path | None = None,
    *,
    in_network: bool = False,
) -> list[str]:
    """Build the command line that runs `argv` in `cwd` in the sandbox with a system call filter.

    `in_network`: it is started in a private network, which it keeps.
    """
    opening = (*_WITH_FILTER, str(syscalls)) if syscalls else ()
    filtering = ("--seccomp", "9") if syscalls else ()
    network = () if wall.network or in_network else (_NO_NETWORK,)
    # these come last: a path bound into a hidden folder needs a mount point there
    closed = [word for place in wall.hidden_folders for word in ("--remount-ro", str(place))]
    return [
        *(*opening, str(program), *_NAMESPACES, *network, *_CONFINED, *filtering, *_EVERYTHING),
        *_iter_mount_options(_collect_mounts(wall)),
        *closed,
        *("--setenv", "TMPDIR", "/tmp", "--chdir", str(cwd), "--", *argv),
    ]


def _collect_mounts(wall: SandboxProfile) -> dict[Path, tuple[str, ...]]:
    """Return the mount options by path; the strictest option for a path comes last and wins."""
    mounts: dict[Path, tuple[str, ...]] = {}
    mounts |= {place: ("--tmpfs",) for place in wall.private}
    mounts |= {place: ("--ro-bind", str(place)) for place in wall.shown}
    mounts |= {place: ("--bind", str(place)) for place in (*wall.writable, *wall.pinned)}
    mounts |= {place: ("--ro-bind", str(place)) for place in wall.frozen}
    mounts |= {place: ("--dev-bind", _NULL) for place in wall.blank_files}
    mounts |= {place: ("--ro-bind", _NULL) for place in wall.hidden_files}
    mounts |= {place: ("--tmpfs",) for place in wall.hidden_folders}
    return mounts


def _iter_mount_options(mounts: Mapping[Path, tuple[str, ...]]) -> Iterator[str]:
    """Yield the mounts, each after its parents."""
    for place in sorted(mounts, key=lambda path: path.parts):
        yield from (*mounts[place], str(place))
