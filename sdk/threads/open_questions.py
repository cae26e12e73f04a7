"""What a thread waits for, read from the database: the questions as a run ends with them."""

from contextlib import closing
from pathlib import Path

from ...config import paths
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.threads.record import ThreadRow
from ..events import Question
from ..interrupt_response import build_question
from .transcript import read_questions


def list_open_questions(row: ThreadRow, home: Path) -> list[Question]:
    """Return the open questions of a thread; blocks, and loads no LangGraph."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        asked = read_questions(connection, row)
    return [build_question(row.thread_id, question) for question in asked]
