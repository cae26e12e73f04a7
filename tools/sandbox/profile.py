"""Sandbox profile: what a command can reach, independent of the backend."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class SandboxProfile:
    """One command's rights. Paths are real and absolute; what is not named can only be read."""

    writable: tuple[Path, ...]
    """Folders that may be written."""
    pinned: tuple[Path, ...] = ()
    """Writable folders that can be neither moved nor replaced, for the sake of what is in them."""
    frozen: tuple[Path, ...] = ()
    """Files and folders below a writable one that can only be read."""
    reserved: tuple[Path, ...] = ()
    """Those of `frozen` that do not exist and must not come into being."""
    hidden_folders: tuple[Path, ...] = ()
    """Folders that seem to be empty."""
    hidden_files: tuple[Path, ...] = ()
    """Files and sockets that cannot be opened."""
    blank_files: tuple[Path, ...] = ()
    """Files that seem to be empty: programs insist on reading some of their own."""
    private: tuple[Path, ...] = ()
    """Folders of which the command gets an empty one of its own, gone with it."""
    shown: tuple[Path, ...] = ()
    """What can be read all the same of a private folder's real content."""
    network: bool = False
    """Whether the network can be reached, this machine's own services included."""
    unix_sockets: bool = False
    """Whether unix sockets can be made."""

    def as_read_only(self, keeping: Sequence[Path] = ()) -> "SandboxProfile":
        """The same with nothing that may be written but `keeping`: the rest stays as it is."""
        frozen = tuple(place for place in self.writable if place not in keeping)
        return replace(self, writable=tuple(keeping), pinned=(), frozen=frozen, reserved=())
