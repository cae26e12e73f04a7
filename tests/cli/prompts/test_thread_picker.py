import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screen import ScreenTerminal

from maxagent.cli.prompts.picker import SHOWN, PickerState
from maxagent.cli.prompts.thread_picker import build_cells, rank_threads
from maxagent.cli.rendering.text_width import measure_width
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow

PICK = (
    "import sys; from pathlib import Path; import typer; sys.argv[0] = 'mcode'\n"
    "from maxagent.cli.execution.thread_argument import pick_chat\n"
    "from maxagent.config.errors import MaxAgentError\n"
    "import asyncio, os\n"
    "async def inside(): return pick_chat(Path.cwd())\n"
    "def picked():\n"
    "    if 'LOOP' in os.environ: return asyncio.run(inside())\n"
    "    return pick_chat(Path.cwd())\n"
    "try: print('picked', picked().title)\n"
    "except typer.Exit as left: sys.exit(left.exit_code)\n"
    "except MaxAgentError as error: sys.exit(f'{error.message} | {error.hint}')\n"
)
TITLES = [
    "Prices are rounded wrongly",
    "修复登录页面的中文标题",
    "Write the README",
    "Port to 3.13",
]


def row(number: int, title: str, name: str = "") -> ThreadRow:
    at = f"2026-01-01T00:{number:02}:00+00:00"
    thread = f"{number:08}-0000-4000-8000-000000000000"
    return ThreadRow(thread, title, "/p", "chat", f"{title}\nplease", "idle", at, at, name=name)


def build_state(rows: list[ThreadRow]) -> PickerState[ThreadRow]:
    return PickerState(rows, rank_threads, build_cells)


ROWS = [row(number, title) for number, title in enumerate(TITLES)]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("", TITLES),
        ("  ", TITLES),
        ("readme", ["Write the README"]),
        ("wrongly prices", ["Prices are rounded wrongly"]),
        ("prises are rounded", ["Prices are rounded wrongly"]),
        ("登录", ["修复登录页面的中文标题"]),
        ("00000003", ["Port to 3.13"]),
        ("please", TITLES),
        ("zzzzzz", []),
    ],
)
def test_what_was_typed_finds_threads(typed: str, names: list[str]) -> None:
    assert [item.title for item in rank_threads(ROWS, typed)] == names


def test_an_exact_word_comes_before_an_alike_one() -> None:
    rows = [row(1, "rounded prises"), row(2, "rounded prices")]
    assert [item.title for item in rank_threads(rows, "prices")] == [
        "rounded prices",
        "rounded prises",
    ]


def test_the_choice_moves_within_what_is_there() -> None:
    choice = build_state([row(number, f"Title {number}") for number in range(30)])
    for by, title in [(-1, 0), (1, 1), (SHOWN, 11), (99, 29), (1, 29), (-SHOWN, 19)]:
        choice.move(by)
        assert choice.selected_item and choice.selected_item.title == f"Title {title}"
        (selected,) = [line for chosen, line in choice.render_lines(80) if chosen]
        assert selected.startswith(f"Title {title} ")
        assert len(choice.render_lines(80)) == SHOWN
    choice.filter("title 7")
    assert choice.selected_item and choice.selected_item.title == "Title 7"
    choice.filter("nothing like it")
    choice.move(1)
    assert (choice.selected_item, choice.render_lines(80)) == (None, [])


@given(st.lists(st.text(max_size=80), max_size=5), st.integers(10, 120))
def test_lines_fit_the_screen_without_control_characters(titles: list[str], columns: int) -> None:
    choice = build_state([row(number, title) for number, title in enumerate(titles)])
    lines = choice.render_lines(columns)
    assert len(lines) == len(titles)
    assert all(measure_width(line) <= columns - 2 and "\x1b" not in line for _, line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    index = ThreadIndex(tmp_path / "home")
    for item in reversed(ROWS):
        index.record_thread(
            thread_id=item.thread_id,
            title=item.title,
            folder=str(folder),
            graph="chat",
            request=item.request,
            options={},
        )
        index.set_status(item.thread_id, "idle")
    return folder


def terminal(folder: Path, columns: int = 80, **environ: str) -> ScreenTerminal:
    texts = {"MAXAGENT_HOME": str(folder.parent / "home"), "LANG": "C.UTF-8", **environ}
    return ScreenTerminal(
        [sys.executable, "-c", PICK], folder, {"PATH": os.environ["PATH"], **texts}, columns=columns
    )


@pytest.mark.parametrize(("language", "columns"), [("en", 80), ("zh", 40)])
def test_typing_and_arrows_find_a_thread(folder: Path, language: str, columns: int) -> None:
    loop = {"LOOP": "1"} if columns == 40 else {}
    with terminal(folder, columns, MAXAGENT_LANG=language, **loop) as output:
        screen = output.wait_for(lambda screen: all(title[:8] in screen for title in TITLES))
        assert ("Search:" in screen) == (language == "en") and output.glass.wraps == 0
        output.type("登录").wait_for(lambda screen: "Prices" not in screen and TITLES[1] in screen)
        output.type("x").wait_for(lambda screen: "修复" not in screen)
        for _ in range(3):
            output.press("backspace")
        output.wait_for("Prices are")
        output.press("down", "down", "up", "enter")
        output.wait_for("picked 修复登录页面的中文标题")
        assert output.end() == 0
        assert "Prices" not in output.screen()


@pytest.mark.parametrize("key", ["esc", "ctrl-c"])
def test_leaving_takes_nothing(folder: Path, key: str) -> None:
    with terminal(folder, NO_COLOR="1") as output:
        output.wait_for("Write the README")
        output.press(key)
        assert output.end() == 130
        assert "picked" not in output.shown


def test_dumb_terminal_asks_for_a_number(folder: Path) -> None:
    with terminal(folder, TERM="dumb") as output:
        output.wait_for("Which one?")
        assert "\x1b[" not in output.shown
        output.type("3\r").wait_for("picked Write the README")
        assert output.end() == 0


def test_without_a_terminal_an_id_is_asked_for(folder: Path) -> None:
    import subprocess

    result = subprocess.run(
        [sys.executable, "-c", PICK], cwd=folder, capture_output=True, text=True, input=""
    )
    assert result.stderr == (
        "`--resume` without an ID needs a terminal | "
        "give an ID or a name; run `mcode threads list` to list threads\n"
    )


def test_narrow_row_says_what_waits() -> None:
    waiting = replace(ROWS[0], status="waiting")
    (title, fact), (_, age) = build_cells([waiting, ROWS[1]], 40)
    assert (title, fact) == (TITLES[0][: len(title) - 1] + "…", "waits for you")
    assert age == "2026-01-01"
