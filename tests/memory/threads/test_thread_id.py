import uuid

import pytest

from maxagent.config.errors import UsageError
from maxagent.memory.threads import thread_id


def test_new_id_is_unique_uuid() -> None:
    first, second = thread_id.create_thread_id(), thread_id.create_thread_id()
    assert str(uuid.UUID(first)) == thread_id.validate_thread_id(first) == first != second


@pytest.mark.parametrize(
    "text",
    [
        "",
        "..",
        "../../etc/passwd",
        "c1",
        "123E4567-E89B-12D3-A456-426614174000",
        "{123e4567-e89b-12d3-a456-426614174000}",
        "123e4567e89b12d3a456426614174000",
        "123e4567-e89b-12d3-a456-426614174000\n",
        "123e4567-e89b-12d3-a456-42661417400٠",
    ],
)
def test_what_is_not_a_uuid_names_no_file(text: str) -> None:
    with pytest.raises(UsageError, match="is not a thread ID"):
        thread_id.validate_thread_id(text)
