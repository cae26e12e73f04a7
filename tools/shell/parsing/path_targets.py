"""The path that a word names, and whether it is vital."""

import os
import re
from pathlib import Path

_SYSTEM_LIST = """
bin boot dev etc home lib lib32 lib64 libx32 media mnt opt proc root run sbin srv sys tmp usr
var Applications Library System Users Volumes private
"""
# Top-level folders that belong to the system
_SYSTEM = frozenset(_SYSTEM_LIST.split())
# Those of them whose subfolders belong to the system, too, or are users' homes
_SYSTEM_INSIDE = frozenset(
    ["bin", "boot", "dev", "etc", "lib", "lib64", "proc", "sbin", "sys", "usr", "home", "Users"]
)
_SYSTEM_STATE = frozenset(["cache", "lib", "log", "run", "spool"])
_VITAL_FILE = re.compile(
    r"/etc/(passwd|shadow|group|gshadow|sudoers|fstab|crypttab|inittab|ld\.so\.(preload|conf))"
    r"|/etc/(sudoers\.d|pam\.d)/.*|/boot/.*|/proc/sysrq-trigger|/proc/sys/kernel/.*"
    r"|/(usr/)?s?bin/(ba|da)?sh|/(usr/)?lib(64)?/ld-.*|/dev/k?mem|/dev/port"
)
_DISK = re.compile(
    r"/dev/((sd|hd|vd|xvd)[a-z]|nvme\d|mmcblk\d|r?disk|mapper/|md\d|dm-\d|nbd\d|zd\d|block/)"
)
_EVERYTHING = re.compile(r"(^|/)(\.?[*?]+|\.?\[[^/]*\]\*?)/*$")
_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/", "/var/folders/")


def resolve_target(name: str, folder: Path | None) -> Path | None:
    """Resolve a word; `x/*` is the whole content of `x`. None if it is known only at run time."""
    whole = _EVERYTHING.sub(r"\1", name)
    if folder is None and not whole.startswith("/"):
        return None
    path = os.path.normpath(os.path.join(folder or "/", whole))
    return Path(path.replace("//", "/", 1))


def is_vital(path: Path, root: Path) -> bool:
    """Return whether deleting a path loses the project, a home or the system."""
    if path.is_relative_to(root):
        return False
    return root.is_relative_to(path) or Path.home().is_relative_to(path) or is_system(path)


def is_system(path: Path) -> bool:
    """Return whether a path is the root, a system folder or a user's home."""
    parts = path.parts[1:]
    if len(parts) < 2:
        return not parts or parts[0] in _SYSTEM
    if str(path).startswith(_TEMPORARY):
        return False
    if len(parts) == 2:
        return parts[0] in _SYSTEM_INSIDE or (parts[0] == "var" and parts[1] in _SYSTEM_STATE)
    return parts[0] in ("boot", "dev", "proc", "sys")


def is_vital_file(path: Path) -> bool:
    """Return whether the system cannot start, or no user can log in, without this file."""
    return _VITAL_FILE.fullmatch(str(path)) is not None


def is_disk(name: str) -> bool:
    """Return whether a name is a disk or a partition."""
    return _DISK.match(os.path.normpath("/" + name).replace("//", "/", 1)) is not None


def is_temporary(path: Path) -> bool:
    """Return whether a path is a folder for temporary files, or lies below one.

    Not so in the user's home, which may be below `/tmp`, as in containers.
    """
    home = os.environ.get("HOME", "").rstrip("/")
    if home and f"{path}/".startswith(f"{home}/"):
        return False
    own = os.environ.get("TMPDIR", "").rstrip("/")
    return f"{path}/".startswith((*_TEMPORARY, *([own + "/"] if own else [])))
