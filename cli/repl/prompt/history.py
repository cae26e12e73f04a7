"""Input history: one private file, redacted, of limited size; a folder's own lines come first."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import History

from ....config import paths
from ....config.security.private_files import open_private, replace_file
from ....config.security.redaction import redact

# Most bytes of the file; beyond them its older half is deleted
MAX_BYTES = 4_000_000


class FolderHistory(History):
    """The lines of one folder, the newest first, and then those of all other folders."""

    def __init__(self, home: Path, folder: Path) -> None:
        super().__init__()
        self._file = paths.ensure_data_folder(home) / "history.jsonl"
        self._folder = os.path.realpath(folder)

    def append_string(self, string: str) -> None:
        """Keep a line, unless it repeats the last one."""
        line = redact(string)
        if self._loaded_strings[:1] != [line]:
            super().append_string(line)

    def append_folded(self, typed: str, sent: str) -> None:
        """Keep a line that is recalled as typed, with its marks, and stored as it was sent."""
        line, folded = redact(sent), redact(typed)
        if line == folded:
            self.append_string(typed)
        elif self._loaded_strings[:1] != [folded]:
            self._loaded_strings.insert(0, folded)
            self.store_string(line)

    def load_history_strings(self) -> Iterable[str]:
        """Return the lines of this folder, then what was typed elsewhere, each only once."""
        entries = list(reversed(list(self._read_entries())))
        folder_lines = [text for folder, text in entries if folder == self._folder]
        known_lines = set(folder_lines)
        foreign_lines = dict.fromkeys(text for _, text in entries if text not in known_lines)
        return [*folder_lines, *foreign_lines]

    def store_string(self, string: str) -> None:
        """Append to the file in one write, so that two terminals can share it."""
        entry = json.dumps({"folder": self._folder, "text": string}).encode()
        with suppress(OSError):  # a full disk must not stop the conversation
            with open(self._file, "ab", buffering=0, opener=open_private) as file:
                # starts with a newline, so that a line that a full disk has cut off joins no other
                file.write(b"\n" + entry + b"\n")
                size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                self._forget_older_half()

    def _read_entries(self) -> Iterator[tuple[str, str]]:
        lines = list[bytes]()
        with suppress(OSError):
            lines = self._read_lines()
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):  # a line that a full disk cut off
                entry = json.loads(line)
                yield str(entry["folder"]), str(entry["text"])

    def _forget_older_half(self) -> None:
        lines = self._read_lines()
        replace_file(self._file, b"".join(lines[len(lines) // 2 :]))

    def _read_lines(self) -> list[bytes]:
        return self._file.read_bytes().splitlines(keepends=True)
