"""Linux backend: a sandbox profile as the arguments of `bwrap`, with namespaces and mounts.

Inside, the machine's users, network, processes and devices do not exist. A command cannot move,
replace or remove a mount, or the folder on which it is mounted.
"""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .profile import SandboxProfile

TEMPORARY = Path(os.path.realpath("/tmp"))
_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_OWN_USERS = "--unshare-user-try"
_NO_NETWORK = "--unshare-net"
_CONFINED = ("--die-with-parent", "--new-session", "--cap-drop", "ALL")
# What root needs for files of other owners in the project. Not CAP_FSETID: a write must clear
# setuid bits. Not CAP_DAC_READ_SEARCH: it opens any file by its handle.
_OWNER_RIGHTS = ("CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN")
_EVERYTHING = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
# the kernel's settings belong to root, in a user namespace too
_READ_ONLY_PROC = ("--remount-ro", "/proc")
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
    profile: SandboxProfile,
    argv: Sequence[str],
    cwd: Path,
    syscalls: Path | None = None,
    *,
    in_network: bool = False,
    owner_rights: bool = False,
) -> list[str]:
    """Build the command line that runs `argv` in `cwd` in the sandbox with a system call filter.

    `in_network`: it is started in a private network, which it keeps. `owner_rights`: root can
    write files of other owners, which a user namespace would forbid.
    """
    opening = (*_WITH_FILTER, str(syscalls)) if syscalls else ()
    filtering = ("--seccomp", "9") if syscalls else ()
    network = () if profile.network or in_network else (_NO_NETWORK,)
    rights = [word for right in _OWNER_RIGHTS for word in ("--cap-add", right)]
    users = rights if owner_rights else [_OWN_USERS]
    # these come last: a path bound into a hidden folder needs a mount point there
    closed = [word for place in profile.hidden_folders for word in ("--remount-ro", str(place))]
    return [
        *(*opening, str(program), *_NAMESPACES, *network, *_CONFINED, *users, *filtering),
        *(*_EVERYTHING, *_READ_ONLY_PROC),
        *_iter_mount_options(_collect_mounts(profile)),
        *closed,
        *("--setenv", "TMPDIR", "/tmp", "--chdir", str(cwd), "--", *argv),
    ]


def _collect_mounts(profile: SandboxProfile) -> dict[Path, tuple[str, ...]]:
    """Return the mount options by path; the strictest option for a path comes last and wins."""
    mounts: dict[Path, tuple[str, ...]] = {}
    mounts |= {place: ("--tmpfs",) for place in profile.private}
    if profile.temporary:
        mounts[TEMPORARY] = ("--bind", str(profile.temporary))
        mounts |= {place: ("--tmpfs",) for place in find_mount_folders(profile)}
    mounts |= {place: ("--ro-bind", str(place)) for place in profile.shown}
    mounts |= {place: ("--bind", str(place)) for place in (*profile.writable, *profile.pinned)}
    mounts |= {place: ("--ro-bind", str(place)) for place in profile.frozen}
    mounts |= {place: ("--dev-bind", _NULL) for place in profile.blank_files}
    mounts |= {place: ("--ro-bind", _NULL) for place in profile.hidden_files}
    mounts |= {place: ("--tmpfs",) for place in profile.hidden_folders}
    return mounts


def find_mount_folders(profile: SandboxProfile) -> set[Path]:
    """Return the folders right below `/tmp` that are private to each command: mounts lie there."""
    places = (
        *profile.shown,
        *profile.writable,
        *profile.pinned,
        *profile.frozen,
        *profile.hidden_folders,
    )
    files = (*profile.hidden_files, *profile.blank_files)
    depth = len(TEMPORARY.parts)
    below = [place for place in (*places, *files) if place.is_relative_to(TEMPORARY)]
    return {Path(*place.parts[: depth + 1]) for place in below if len(place.parts) > depth + 1}


def _iter_mount_options(mounts: Mapping[Path, tuple[str, ...]]) -> Iterator[str]:
    """Yield the mounts, each after its parents."""
    for place in sorted(mounts, key=lambda path: path.parts):
        yield from (*mounts[place], str(place))
