"""Thread IDs: UUIDs, because LangGraph's server accepts nothing else."""

import re
import uuid

from ...config.errors import UsageError
from ...config.text import text

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def create_thread_id() -> str:
    return str(uuid.uuid4())


def build_attempt_thread_id(parent: str, number: int) -> str:
    """Return the thread of an attempt at a task; always the same, so a killed one is found."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{parent}/{number}"))


def is_thread_id(text: str) -> bool:
    """Return whether a text is a thread ID: a lower-case UUID."""
    return bool(_UUID.fullmatch(text))


def validate_thread_id(thread_id: str) -> str:
    """Return the ID, safe as a file name; raises UsageError for anything but a lower-case UUID."""
    if not is_thread_id(thread_id):
        raise UsageError(
            text("`{thread_id}` is not a thread ID", thread_id=thread_id),
            hint="a thread ID is a UUID; run `mcode threads list --all` to list threads",
        )
    return thread_id
