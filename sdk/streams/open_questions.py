"""What a thread waits for, read from the database: the questions as a run ends with them."""

from contextlib import closing
from pathlib import Path
from typing import Literal

from ...config import paths
from ...memory.checkpoints.open_questions import OpenQuestion
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.threads.record import ThreadRow
from ..events import Question
from ..threads.transcript import read_questions

Kind = Literal["approval", "review", "switch", "limit", "pull_request"]


def list_open_questions(row: ThreadRow, home: Path) -> list[Question]:
    """Return the open questions of a thread; blocks, and loads no LangGraph."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        asked = read_questions(connection, row)
    return [build_question(row.thread_id, question) for question in asked]


def build_question(thread_id: str, asked: OpenQuestion) -> Question:
    """Return a stored question as an event."""
    return Question(
        thread_id=thread_id,
        id=asked.id,
        kind=_classify(asked),
        action_requests=list(asked.requests),
        review_configs=list(asked.configs),
        description=asked.description,
        until=asked.until,
        provider=asked.provider,
        agent=asked.agent,
    )


def _classify(asked: OpenQuestion) -> Kind:
    names = {request.get("name") for request in asked.requests}
    if not names:
        return "limit"
    if names == {"pull_request"}:
        return "pull_request"
    if names <= {"plan_enter", "plan_exit"}:
        return "switch"
    return "review" if names == {"review"} else "approval"
