from glass_console import GlassConsole

from maxagent.cli.rendering.block_printer import BlockPrinter
from maxagent.cli.rendering.blocks.todos import TodoBlocks, format_open_list, format_row


def items(*states: str) -> list[dict[str, str]]:
    return [{"content": f"step {n}", "status": state} for n, state in enumerate(states)]


def test_list_is_shown_once_then_its_progress() -> None:
    console = GlassConsole()
    todos = TodoBlocks(BlockPrinter(console))
    for todo_list in (
        items("in_progress", "pending"),
        items("completed", "in_progress"),
        items("completed", "completed"),
        [*items("completed"), {"content": "a new one", "status": "pending"}],
    ):
        todos.show(todo_list, todos.take_known(todo_list))
    assert console.rows == [
        "",
        "● Planned 2 steps",
        "  ▸ step 0",
        "  ☐ step 1",
        "",
        "▸ 1/2 · step 1",
        "☒ 2/2 done",
        "",
        f"● Planned 2 steps{'1/2':>63}",
        "  ☒ step 0",
        "  ☐ a new one",
    ]


def test_row_names_what_comes_now() -> None:
    assert format_row(items("completed", "pending", "pending")) == "1/3 · step 1"
    assert format_row(items("completed", "pending", "in_progress")) == "1/3 · step 2"
    assert format_row(items("completed", "cancelled")) == "2/2 done"


def test_open_list_shows_what_is_near() -> None:
    assert format_open_list(items("completed", "in_progress"), 80) == ["  ☒ step 0", "  ▸ step 1"]
    many = items(*["completed"] * 6, *["pending"] * 9)
    rows = format_open_list(many, 80)
    assert rows[:2] == ["  ☒ step 5", "  ☐ step 6"] and rows[10:] == ["  … 5 more: /todos"]
    assert format_open_list(items(*["completed"] * 12), 9)[0] == "  ☒ ste…"
    assert format_open_list((), 80) == []
