"""Which places on this machine a command's words name, and how much would be lost with them."""

import os
import re
from pathlib import Path

_SYSTEM = frozenset(
    ["bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "opt", "proc", "root"]
    + ["run", "sbin", "srv", "sys", "tmp", "usr", "var", "mnt", "media"]
    + ["System", "Library", "Users", "Applications", "Volumes", "private"]
)
_SYSTEM_INSIDE = frozenset(
    ["bin", "boot", "etc", "lib", "lib64", "sbin", "usr", "sys", "proc", "dev"]
)
_HOMES = frozenset(["home", "Users"])
_SYSTEM_STATE = frozenset(["lib", "log", "spool", "cache", "run"])
_VITAL_FILE = re.compile(
    r"/etc/(passwd|shadow|group|gshadow|sudoers|fstab|crypttab|inittab|ld\.so\.(preload|conf))"
    r"|/etc/(sudoers\.d|pam\.d)/.*|/boot/.*|/proc/sysrq-trigger|/proc/sys/kernel/.*"
    r"|/(usr/)?s?bin/(ba|da)?sh|/(usr/)?lib(64)?/ld-.*|/dev/k?mem|/dev/port"
)
_DISK = re.compile(
    r"/dev/((sd|hd|vd|xvd)[a-z]|nvme\d|mmcblk\d|r?disk|mapper/|md\d|dm-\d|nbd\d|loop\d|zd\d|block/)"
)
_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/", "/var/folders/")


def is_disk(name: str) -> bool:
    """Whether a name is a disk or a part of one."""
    return _DISK.match(os.path.normpath(name).replace("//", "/")) is not None


def is_vital_file(path: Path) -> bool:
    """Whether the system does not start, or nobody gets in, without this file."""
    return _VITAL_FILE.fullmatch(str(path)) is not None


def place(name: str, folder: Path | None) -> Path | None:
    """Where a word leads; `x/*` is all that is in `x`. None where only a run would tell."""
    everything = re.sub(r"(^|/)(\*|\.\[[^/]*|\.\*|\?\*|\*\*|\.\?*)+/?$", r"\1", name)
    if not everything.startswith("/") and folder is None:
        return None
    return Path(
        os.path.normpath(
            f"/{folder or ''}/{everything}" if not everything.startswith("/") else everything
        ).replace("//", "/")
    )


def is_vital(path: Path, root: Path) -> bool:
    """Whether the machine or its user would lose with it what nobody brings back."""
    if path == root:
        return False
    if path.is_relative_to(root):
        return False
    if root.is_relative_to(path) or Path.home().is_relative_to(path):
        return True
    return is_system(path)


def is_system(path: Path) -> bool:
    """Whether it is the root, a system folder, or somebody's home."""
    parts = path.parts[1:]
    if len(parts) < 2:
        return not parts or parts[0] in _SYSTEM
    if len(parts) == 2:
        state = parts[0] == "var" and parts[1] in _SYSTEM_STATE
        return parts[0] in _SYSTEM_INSIDE or parts[0] in _HOMES or state
    return parts[0] in ("boot", "sys", "proc", "dev") and not str(path).startswith(_TEMPORARY)


def is_temporary(path: Path) -> bool:
    """Whether it lies below a folder for what may be lost."""
    own = os.environ.get("TMPDIR", "").rstrip("/")
    return str(path).startswith((*_TEMPORARY, *([own + "/"] if own else [])))
