"""Sandbox profile: what a command can reach, independent of the backend."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class SandboxProfile:
    """One command's rights. Paths are real and absolute; all other paths are read-only."""

    writable: tuple[Path, ...]
    """Writable folders."""
    pinned: tuple[Path, ...] = ()
    """Writable folders that cannot be moved or replaced, to protect their content."""
    frozen: tuple[Path, ...] = ()
    """Read-only files and folders below a writable one."""
    reserved: tuple[Path, ...] = ()
    """Paths that do not exist and must not be created: Linux by a guard, macOS by a rule."""
    hidden_folders: tuple[Path, ...] = ()
    """Folders that appear empty."""
    hidden_files: tuple[Path, ...] = ()
    """Files and sockets that cannot be opened."""
    blank_files: tuple[Path, ...] = ()
    """Files that appear empty: programs fail if they cannot read some of their own."""
    private: tuple[Path, ...] = ()
    """Folders that the command gets as empty private ones, deleted when it ends."""
    temporary: Path | None = None
    """The folder that lasts between commands in place of the private `/tmp`."""
    shown: tuple[Path, ...] = ()
    """The paths in a private folder whose real content stays readable."""
    network: bool = False
    """Whether the command has network access, including this machine's own services."""
    unix_sockets: bool = False
    """Whether the command can create unix sockets."""

    def as_read_only(self, keeping: Sequence[Path] = ()) -> "SandboxProfile":
        """Return the profile with only `keeping` writable: the rest is read-only."""
        frozen = tuple(place for place in self.writable if place not in keeping)
        return replace(self, writable=tuple(keeping), pinned=(), frozen=frozen, reserved=())

    def without_protection(self, files: Sequence[Path]) -> "SandboxProfile":
        """Return the profile in which just these files can be written."""
        if not files:
            return self
        frozen = tuple(path for path in self.frozen if path not in files)
        reserved = tuple(path for path in self.reserved if path not in files)
        return replace(self, frozen=frozen, reserved=reserved)
