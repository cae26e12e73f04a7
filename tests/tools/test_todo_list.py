import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.result import ToolError
from maxagent.tools.todo_list import Item, Todo, add_todos, parse_items, render_todos, update_todos


def todo(identity: str, content: str, **other: str) -> Todo:
    blank = {"status": "pending", "priority": "medium", "file_path": "", "details": ""}
    return {"id": identity, "content": content, **blank, **other}


@pytest.mark.parametrize(
    "sent",
    [
        ["read the code", "fix it"],
        [{"content": "read the code"}, {"content": "fix it"}],
        ["read the code\nfix it"],
        "read the code\nfix it\n",
        "1. read the code\n2) fix it",
        "- read the code\n\n* [ ] fix it",
        "Plan: <task>read the code</task>\n<TASK id='2'> fix it </task>",
        '["read the code", {"content": "fix it"}]',
        [{"content": "<task>read the code</task><task> </task><task>fix it</task>"}],
        [{"content": "1. read the code\n2. fix it"}],
        [{"content": "- [ ] read the code\n- [ ] fix it"}],
    ],
)
def test_a_list_comes_in_many_forms(sent: list[Item | str] | str) -> None:
    contents = [item.get("content") for item in parse_items(sent)]
    assert contents == ["read the code", "fix it"]


def test_marks_in_lines_set_task_status() -> None:
    items = parse_items("- [x] one\n- [X] two\n- [>] three\n- [-] four\n- [ ] five\n- six")
    done, doing = "completed", "in_progress"
    expected = [done, done, doing, "cancelled", "pending", "pending"]
    assert [item.get("status") for item in items] == expected


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        items = parse_items(text)
    except ToolError:
        return
    assert all(item.get("content") for item in items) or text.lstrip().startswith("[")


def test_what_is_shown_can_be_read_again() -> None:
    todos = [todo("1", "one", status="completed"), todo("2", "two", status="in_progress")]
    assert add_todos(parse_items("\n".join(render_todos(todos).splitlines()[:-1]))) == todos


def test_json_with_a_wrong_status_is_refused() -> None:
    with pytest.raises(ToolError, match=r"wrong at `0\.status`: Input should be 'pending'"):
        parse_items(json.dumps([{"content": "one", "status": "done"}]))


def test_ids_are_kept_or_numbered() -> None:
    items: list[Item] = [{"content": "a"}, {"id": 1, "content": "b"}, {"id": "x", "content": "c"}]
    assert [(add_todo["id"], add_todo["content"]) for add_todo in add_todos(items)] == [
        ("2", "a"),
        ("1", "b"),
        ("x", "c"),
    ]


def test_a_task_keeps_all_its_instructions() -> None:
    item = Item(id="7", content="c", status="completed", priority="low", file_path="a", details="d")
    assert add_todos([item]) == [{**item}]


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([{"id": "1"}], "every task needs a `content`"),
        ([{"content": " "}], "every task needs a `content`"),
        ([{"id": "1", "content": "a"}, {"id": 1, "content": "b"}], "two tasks with the id `1`"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(items: list[Item], problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        add_todos(items)


def test_an_update_changes_only_what_it_names() -> None:
    todos = [todo("1", "one"), todo("2", "two")]
    assert update_todos(todos, [{"id": 2, "priority": "high"}]) == [
        todo("1", "one"),
        todo("2", "two", priority="high"),
    ]
    assert todos[1]["priority"] == "medium"


@pytest.mark.parametrize("item", [{"id": "2"}, {"id": 2}, {"content": "2"}, {"content": "two"}])
def test_task_is_marked_by_id_or_text(item: Item) -> None:
    todos = [todo("1", "one"), todo("2", "two")]
    assert update_todos(todos, [item], "completed")[1] == todo("2", "two", status="completed")


def test_unknown_task_is_refused_with_known_tasks() -> None:
    with pytest.raises(ToolError, match="no task with the id `3`; there are: `1`, `2`"):
        update_todos([todo("1", "one"), todo("2", "two")], [{"id": "3"}])


def test_the_list_is_shown_with_its_state() -> None:
    todos = [
        todo("1", "one", status="completed", file_path="a.py"),
        todo("2", "two", status="in_progress", priority="high", details="carefully"),
        todo("3", "three"),
    ]
    assert render_todos(todos).splitlines() == [
        "1. [x] one a.py",
        "2. [>] two (high)",
        "   carefully",
        "3. [ ] three",
        "1 of 3 completed",
    ]
    assert render_todos([]) == "The todo list is empty."


def test_one_task_may_have_several_lines() -> None:
    content = "fix the parser:\n- keep the comments"
    assert parse_items([{"content": content}]) == [{"content": content}]
    assert parse_items([{"content": "<task>fix\nit</task>", "priority": "high"}]) == [
        {"content": "fix\nit", "priority": "high"}
    ]
