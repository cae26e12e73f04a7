"""The todo list: in full when it is new, then one row for what has changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from ...i18n.catalogs import t
from ..block_printer import BlockPrinter
from ..console import style_text
from ..sanitize import sanitize_line
from ..text_width import shorten_text

MARKS = {"completed": "☒", "in_progress": "▸", "cancelled": "☒"}
OPEN_MARK = "☐"
STYLES = {"completed": "dim", "in_progress": "bold", "cancelled": "dim strike"}

# Items of an open list above the prompt; the others are named by their number
MAX_OPEN = 10

TodoItems = Sequence[Mapping[str, Any]]


class TodoBlocks:
    """Shows the lists of one turn."""

    def __init__(self, printer: BlockPrinter) -> None:
        self._printer = printer
        self._items: TodoItems = ()
        self._contents: set[str] = set()

    def take_known(self, items: TodoItems) -> Text | None:
        """Take a list; return how far it is if it was shown before."""
        self._items = items
        contents = {str(item.get("content", "")) for item in items}
        is_known, self._contents = bool(contents) and contents <= self._contents, contents
        mark = MARKS["completed" if count_done(items) == len(items) else "in_progress"]
        return style_text(f"{mark} {format_row(items)}", "dim") if is_known else None

    def show(self, items: TodoItems, row: Text | None) -> None:
        """Show a list; of one that was shown before only `row`, how far it is."""
        done = count_done(items)
        if row:
            self._printer.print_head(row, bullet=None, kind="todos")
            return
        head = Text.assemble(
            (t("call.plan.done"), "bold"), f" {t('todos.count', count=len(items))}"
        )
        self._printer.print_head(head, f"{done}/{len(items)}" if done else "", bullet="green")
        self._printer.print_rows(build_list(items))

    def format_brief(self) -> str:
        """Return how many steps are done; empty without a list."""
        done, count = count_done(self._items), len(self._items)
        return t("todos.brief", done=done, count=count) if count else ""


def count_done(items: TodoItems) -> int:
    """Count the items that are finished, or not wanted any more."""
    return sum(item.get("status") in ("completed", "cancelled") for item in items)


def format_row(items: TodoItems) -> str:
    """Return how far the list is and what comes now, on one row."""
    current = next((item for item in items if item.get("status") == "in_progress"), None)
    current = current or next((item for item in items if item.get("status") == "pending"), None)
    count = f"{count_done(items)}/{len(items)}"
    if current is None:
        return t("todos.done", count=count)
    return f"{count} · {sanitize_line(str(current.get('content', '')))}"


def format_open_list(items: TodoItems, columns: int) -> list[str]:
    """Return a row for each item, of a long list those about the first that is left."""
    is_done = [count_done([item]) > 0 for item in items]
    first = is_done.index(False) if False in is_done else 0
    start = max(0, min(first - 1, len(items) - MAX_OPEN))
    rows = [f"  {_build_item(item).plain}" for item in items[start : start + MAX_OPEN]]
    if hidden := len(items) - len(rows):
        rows.append(f"  {t('todos.hidden', count=hidden)}")
    return [shorten_text(row, columns - 1) for row in rows]


def build_list(items: TodoItems) -> Text:
    """Return the list, one line for each item."""
    return Text("\n").join(map(_build_item, items))


def _build_item(item: Mapping[str, Any]) -> Text:
    status = str(item.get("status", ""))
    text = sanitize_line(str(item.get("content", "")))
    return style_text(f"{MARKS.get(status, OPEN_MARK)} {text}", STYLES.get(status, ""))
