"""The todo list of a thread: parsing, changes and rendering."""

import re
from collections.abc import Sequence
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from .result import ToolError

Status = Literal["pending", "in_progress", "completed", "cancelled"]
Priority = Literal["high", "medium", "low"]

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"}
_TASK_TAG = re.compile(r"<task[^>]*>(.*?)</task>", re.DOTALL | re.IGNORECASE)
_HAS_BULLET = re.compile(r"\s*(?:[-*•+]\s|\d+[.)]\s|\[[ xX>-]\])")
_BULLET = re.compile(r"\s*(?:[-*•+]\s+|\d+[.)]\s+)?(?:\[(?P<mark>[ xX>-])\]\s*)?(?P<content>.*)")


class Todo(TypedDict):
    """One task; plain, because it is checkpointed."""

    id: str
    content: str
    status: Status
    priority: Priority
    file_path: str
    """The file that the task is about, or empty."""
    details: str


class Item(TypedDict, total=False):
    """A task; a missing field stays unchanged."""

    id: str | int
    content: str
    status: Status
    priority: Priority
    file_path: str
    details: str


def _name_ids(sent: object) -> object:
    """Return a list of tasks with numbers, which are IDs, as texts."""
    if not isinstance(sent, list):
        return sent
    entries = cast("list[object]", sent)
    return [str(entry) if type(entry) is int else entry for entry in entries]


Items = Annotated[list[Item | str] | str, BeforeValidator(_name_ids)]
"""Tasks as a model sends them; a number alone is an ID."""
_LISTED = TypeAdapter(Annotated[list[Item | str], BeforeValidator(_name_ids)])


def parse_items(sent: Sequence[Item | str] | str) -> list[Item]:
    """Parse items from a list, `<task>` tags, JSON, or lines with or without bullets."""
    if not isinstance(sent, str):
        return [
            item
            for entry in sent
            for item in (_parse_lines(entry) if isinstance(entry, str) else _split_item(entry))
        ]
    if tags := _TASK_TAG.findall(sent):
        return [Item(content=text.strip()) for text in tags if text.strip()]
    parsed_items = _parse_json(sent)
    return parse_items(parsed_items) if parsed_items is not None else _parse_lines(sent)


def add_todos(items: Sequence[Item], existing_todos: Sequence[Todo] = ()) -> list[Todo]:
    """Add a task for every item to the list; one without an id gets the next free number."""
    todos = list(existing_todos)
    reserved = {str(item.get("id")) for item in items}
    for item in items:
        if not item.get("content", "").strip():
            raise ToolError('every task needs a `content`, such as {"content": "add a test"}')
        existing_ids = {todo["id"] for todo in todos}
        identity = str(item.get("id") or _free_number(existing_ids | reserved))
        if identity in existing_ids:
            raise ToolError(f"there are two tasks with the id `{identity}`; leave ids out")
        blank = Todo(
            id=identity, content="", status="pending", priority="medium", file_path="", details=""
        )
        todos.append(_merge_item(blank, item))
    return todos


def update_todos(
    todos: Sequence[Todo], items: Sequence[Item], status: Status | None = None
) -> list[Todo]:
    """Merge each item into the task of its id; set `status` if the item has none.

    A plain text names a task by its id, or by its whole content.
    """
    changed = {todo["id"]: todo for todo in todos}
    by_content = {todo["content"]: todo["id"] for todo in todos}
    for item in items:
        content = item.get("content", "")
        identity = str(item.get("id") or by_content.get(content, content))
        if identity not in changed:
            ids = ", ".join(f"`{todo_id}`" for todo_id in changed) or "none yet"
            raise ToolError(f"there is no task with the id `{identity}`; there are: {ids}")
        default = Item(status=status) if status else Item()
        new_values = item if item.get("id") else Item()
        changed[identity] = _merge_item(changed[identity], cast(Item, {**default, **new_values}))
    return list(changed.values())


def find_open_todos(todos: Sequence[Todo]) -> list[Todo]:
    """Return the tasks that are neither completed nor cancelled."""
    return [todo for todo in todos if todo["status"] in ("pending", "in_progress")]


def render_todos(todos: Sequence[Todo]) -> str:
    """Render the list for the model and the user."""
    if not todos:
        return "The todo list is empty."
    done = sum(todo["status"] == "completed" for todo in todos)
    return "\n".join([*map(_render_todo, todos), f"{done} of {len(todos)} completed"])


def _render_todo(todo: Todo) -> str:
    priority = "" if todo["priority"] == "medium" else f" ({todo['priority']})"
    file = f" {todo['file_path']}" if todo["file_path"] else ""
    details = f"\n   {todo['details']}" if todo["details"] else ""
    return f"{todo['id']}. {_MARKS[todo['status']]} {todo['content']}{priority}{file}{details}"


def _merge_item(todo: Todo, item: Item) -> Todo:
    new_values = {key: value for key, value in item.items() if key in todo and key != "id"}
    return cast(Todo, {**todo, **new_values})


def _free_number(reserved_ids: set[str]) -> int:
    return next(
        number for number in range(1, len(reserved_ids) + 2) if str(number) not in reserved_ids
    )


def _split_item(item: Item) -> list[Item]:
    """Split the tasks in one item's content: `<task>` tags, or lines that all have a bullet."""
    content = item.get("content", "")
    lines = [line for line in content.splitlines() if line.strip()]
    is_list = len(lines) > 1 and all(_HAS_BULLET.match(line) for line in lines)
    if item.get("id") or not (is_list or _TASK_TAG.search(content)):
        return [item]
    return [cast(Item, {**item, **part}) for part in parse_items(content)]


def _parse_lines(text: str) -> list[Item]:
    matches = (_BULLET.fullmatch(line.rstrip()) for line in text.splitlines())
    return [_parse_line(match) for match in matches if match and match["content"]]


def _parse_line(match: re.Match[str]) -> Item:
    item = Item(content=match["content"])
    marks = {mark[1]: status for status, mark in _MARKS.items()}
    if status := marks.get((match["mark"] or " ").lower()):
        item["status"] = cast(Status, status)
    return item


def _parse_json(text: str) -> list[Item | str] | None:
    """Parse the tasks in a JSON text; None if it is not JSON."""
    if not text.lstrip().startswith("["):
        return None
    try:
        return _LISTED.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return None
        place = ".".join(str(part) for part in first["loc"] if part not in ("Item", "str"))
        raise ToolError(f"the list of tasks is wrong at `{place}`: {first['msg']}") from None
