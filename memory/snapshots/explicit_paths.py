"""Files that tools named: a snapshot includes them even if `.gitignore` lists them."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ...config.security.private_files import open_private
from .exclusions import Exclusions


class ExplicitPaths:
    """The names, kept in a file of the store; only the holder of the store's lock may use it."""

    def __init__(self, directory: Path, out: Exclusions) -> None:
        self._file = directory / "named"
        self._out = out
        self._size = 0
        self._names = set[str]()
        """The names in the first `_size` bytes of the file, without excluded ones."""

    def add(self, paths: Sequence[str]) -> frozenset[str]:
        """Add names; return all names."""
        self._read_new_names()
        allowed = {str(PurePosixPath(path)) for path in paths if not self._out.is_excluded(path)}
        new = allowed - self._names
        if new:
            with open(self._file, "ab", opener=open_private) as file:
                # leading zero byte: a name cut off by a power failure joins no other
                file.write(b"".join(b"\0" + os.fsencode(path) + b"\0" for path in sorted(new)))
                file.flush()
                os.fsync(file.fileno())
            self._read_new_names()
        return frozenset(self._names)

    def _read_new_names(self) -> None:
        """Read what this and other processes have written since the last read."""
        try:
            with self._file.open("rb") as file:
                if os.fstat(file.fileno()).st_size < self._size:  # the store was recreated
                    self._size = 0
                    self._names.clear()
                file.seek(self._size)
                written = file.read()
        except FileNotFoundError:
            self._size = 0
            self._names.clear()
            return
        self._size += len(written)
        names = {os.fsdecode(name) for name in written.split(b"\0") if name}
        self._names |= {name for name in names if not self._out.is_excluded(name)}
