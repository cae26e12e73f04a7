import pytest
from rich.cells import cell_len

from maxagent.cli.repl.prompt.status_bar import Status, format_status

FULL = Status(
    model="openai/gpt-9",
    agent="explore",
    mode="edits",
    sandbox="bubblewrap, no network",
    used=0.123,
    cost=1.5,
    branch="topic",
)


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXAGENT_LANG", "en")


@pytest.mark.parametrize(
    "status, columns, words",
    [
        (Status(), 80, "build"),
        (FULL, 80, "gpt-9 · @explore · build · edits · sandbox · 12% · $1.50 · topic"),
        (FULL, 60, "gpt-9 · @explore · build · edits · 12% · $1.50 · topic"),
        (FULL, 40, "gpt-9 · @explore · build · edits · 12%"),
        (FULL, 10, "build · edits"),
        (Status(plan=True, sandbox="none: it is switched off"), 80, "plan · no sandbox"),
        (Status(branch="a\x1b]0;b\nc"), 80, "build · a\\x1b]0;b c"),
    ],
)
def test_status_shows_as_much_as_fits(status: Status, columns: int, words: str) -> None:
    assert format_status(status, columns) == words


def test_wide_characters_take_two_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXAGENT_LANG", "zh")
    for columns in range(20, 80):
        assert (
            cell_len(format_status(Status(model="模型/很长的名字", branch="分支"), columns))
            < columns
        )
