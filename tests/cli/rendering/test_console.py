import io

import pytest
from rich.console import Console
from rich.text import Text

from maxagent.cli.rendering.console import fit_rows, open_console, show_line, show_sentence


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("", [""]),
        ("all of it fits", ["all of it fits"]),
        ("one two three four five six seven", ["one two three four", "five six seven"]),
        ("    one two three four five six", ["    one two three four", "    five six"]),
        ("\none\n  two", ["", "one", "  two"]),
        ("x" * 25, ["x" * 20, "x" * 5]),
        ("汉字汉字汉字汉字汉字汉字", ["汉字汉字汉字汉字汉字", "汉字"]),
    ],
)
def test_line_breaks_between_words_and_keeps_indentation(line: str, rows: list[str]) -> None:
    assert [row.plain for row in fit_rows(Text(line), 20)] == rows


@pytest.mark.parametrize(("file", "rows"), [(Screen(), 3), (io.StringIO(), 1)])
def test_only_a_terminal_s_lines_are_broken(file: io.StringIO, rows: int) -> None:
    console = open_console()
    console.file, console.width = file, 20
    show_line(console, "  " + "word " * 9 + "\x1b[2J", "red")
    text = file.getvalue()
    assert (text.count("\n"), text.count("word"), "\x1b[2J" in text) == (rows, 9, False)


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_address_of_a_sentence_is_whole_link(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    page = "https://platform.openai.com/api-keys"
    for show in (show_sentence, lambda *args: show_sentence(*args, "dim")):
        screen = Screen()
        console = Console(file=screen, width=columns, soft_wrap=True, force_terminal=True)
        show(console, f"  You get one at {page}, with `code`.")
        assert f";{page}\x1b\\" in screen.getvalue()
        assert any(page in row for row in screen.getvalue().split("\n"))
