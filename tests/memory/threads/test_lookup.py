from dataclasses import replace

import pytest

from maxagent.config.errors import UsageError
from maxagent.memory.threads.lookup import build_not_found_error, choose_row
from maxagent.memory.threads.record import ThreadRow

FIRST = ThreadRow("abcd1111", "one", "/p", "chat", "one", "idle", "", "")
SECOND = replace(FIRST, thread_id="abcd2222", name="main", folder="/q")
ROWS = [FIRST, SECOND]


@pytest.mark.parametrize(
    ("name", "folder", "expected"),
    [
        ("abcd1111", None, FIRST),
        ("abcd1", None, FIRST),
        ("main", None, SECOND),
        ("main", "/q", SECOND),
        ("abc", None, None),
        ("zzzz", None, None),
    ],
)
def test_a_thread_is_chosen(name: str, folder: str | None, expected: ThreadRow | None) -> None:
    assert choose_row(name, ROWS, folder) == expected


@pytest.mark.parametrize(
    ("name", "folder", "message"),
    [("abcd", None, "matches 2 threads"), ("main", "/p", "is a thread of `/q`")],
)
def test_a_doubt_is_an_error(name: str, folder: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        choose_row(name, ROWS, folder)


@pytest.mark.parametrize(
    ("name", "hint"), [("man", "`main`"), ("abcx1111", "`abcd1111`"), ("", "threads list")]
)
def test_what_is_near_is_named(name: str, hint: str) -> None:
    assert hint in (build_not_found_error(name, ROWS).hint or "")
