import json
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.sdk.workers.submission import QueuedTask, read_tasks

REMOTE = "https://git.example/shop.git#main"
PLACES = {
    "another folder": (QueuedTask("", Path("/b"), {}), {}),
    "another folder in the line": (QueuedTask("", Path("/a"), {}), {"folder": "/b"}),
    "a workspace": (QueuedTask("", Path("/a"), {}, REMOTE), {}),
    "a workspace in the line": (QueuedTask("", Path("/a"), {}), {"workspace": REMOTE}),
    "a folder in a workspace's batch": (QueuedTask("", Path("/a"), {}, REMOTE), {"folder": "/b"}),
}


def read(default: QueuedTask, *lines: dict[str, object]) -> list[QueuedTask]:
    return read_tasks([json.dumps(line) for line in lines], "tasks.jsonl", default)


@pytest.mark.parametrize("name", [{}, {"id": "one"}], ids=["task", "id"])
@pytest.mark.parametrize("case", PLACES)
def test_another_place_is_another_thread(case: str, name: dict[str, object]) -> None:
    default, fields = PLACES[case]
    (first,) = read(QueuedTask("", Path("/a"), {}), {"task": "x", **name})
    (second,) = read(default, {"task": "x", **name, **fields})
    assert first.thread_id != second.thread_id
    assert read(default, {"task": "x", **name, **fields}) == [second]


SAME = {
    "a relative folder": {"folder": "."},
    "a folder with dots": {"folder": str(Path.cwd() / "x" / "..")},
    "another title": {"title": "y"},
    "other options": {"options": {"mode": "auto"}},
    "nothing else": {},
}


@pytest.mark.parametrize("case", SAME)
def test_same_place_is_the_same_thread(case: str) -> None:
    default = QueuedTask("", Path.cwd(), {})
    (first,), (second,) = read(default, {"task": "x"}), read(default, {"task": "x", **SAME[case]})
    assert first.thread_id == second.thread_id


def test_folder_of_a_line_holds_before_workspace() -> None:
    default = QueuedTask("", Path("/a"), {}, REMOTE)
    inside, beside = read(default, {"task": "x"}, {"task": "x", "folder": "/b"})
    assert (inside.workspace, beside.workspace, beside.folder) == (REMOTE, "", Path("/b"))


WRONG: dict[str, dict[str, object]] = {
    "its `folder` is no text": {"folder": 5},
    "its `workspace` is no text": {"workspace": ["x"]},
    "its `title` is no text": {"title": None},
    "its `id` is no text": {"id": True},
    "it has both `folder` and `workspace`": {"folder": "/a", "workspace": REMOTE},
    "it has an unknown field `model`": {"model": "x"},
}


@pytest.mark.parametrize("reason", WRONG)
def test_wrong_field_is_named_with_its_line(reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(QueuedTask("", Path("/a"), {}), {"task": "x"}, {"task": "y", **WRONG[reason]})
    assert caught.value.message == f"line 2 is no task: {reason}"
