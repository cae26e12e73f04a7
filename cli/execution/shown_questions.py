"""Record of the question that this terminal showed last; an answer applies to no other.

A terminal is a POSIX session: every window and every login has its own, and a shell or a script
shares it with its children.
"""

import os
from contextlib import suppress
from pathlib import Path

from ...config import paths
from ...config.security.private_files import open_private
from ...sdk.events import Question
from ..fork_server.caller import get_session

_MAX_BYTES = 100_000  # bytes; some 900 questions, of which the newer half is kept


def remember_shown(home: Path, question: Question) -> None:
    """Record that this terminal has shown it; on failure it is shown again before an answer."""
    line = f"{_identify_session()} {question.thread_id} {question.id}\n"
    with suppress(OSError):
        file = _locate_file(home)
        if file.exists() and file.stat().st_size > _MAX_BYTES:
            recent_text = file.read_text(encoding="utf-8")[-_MAX_BYTES // 2 :]
            file.write_text(recent_text.partition("\n")[2], encoding="utf-8")
        with open(file, "a", encoding="utf-8", opener=open_private) as log:
            log.write(line)


def find_shown_question(home: Path, thread_id: str) -> str:
    """Return the id of the thread's question that this terminal showed last; empty if none."""
    own = f"{_identify_session()} {thread_id} "
    with suppress(OSError):
        lines = _locate_file(home).read_text(encoding="utf-8").splitlines()
        return next((line.removeprefix(own) for line in lines[::-1] if line.startswith(own)), "")
    return ""


def _identify_session() -> str:
    """Return the session's number and the terminal's name; the system reuses both."""
    number = get_session()
    for stream in (0, 1, 2):
        with suppress(OSError, AttributeError):
            return f"{number}:{os.ttyname(stream)}"
    return f"{number}:"


def _locate_file(home: Path) -> Path:
    return paths.ensure_data_folder(home) / "shown-questions"
