import io

import pytest
from rich.text import Text

from maxagent.cli.rendering.console import fit_rows, open_console, show_line


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
