import pytest
from rich.text import Text

from maxagent.cli.rendering.markdown.tables import render_table
from maxagent.cli.rendering.table import measure_width


def table(width, *lines, aligns=("left", "center", "right")):
    header, *body = [[Text(cell) for cell in line] for line in lines]
    return [row.plain for row in render_table(header, body, aligns[: len(header)], width)]


def test_columns_are_side_by_side_with_their_alignment():
    assert table(40, ["a", "说明", "c"], ["one", "中", "1"], ["x", "中文字", "20"]) == [
        "a     说明    c",
        "---  ------  --",
        "one    中     1",
        "x    中文字  20",
    ]


def test_widest_column_shrinks_and_rows_are_separated():
    lines = (["name", "description"], ["one", "reads all of the files"], ["two", "x"])
    assert table(24, *lines, aligns=("left", "left")) == [
        "name  description",
        "----  ------------------",
        "one   reads all of the",
        "      files",
        "",
        "two   x",
    ]


def test_narrow_table_renders_rows_as_lists():
    rows = table(20, ["first", "second", "third"], ["一二三四五六", "longer than it", "c" * 30])
    assert rows == [
        "first: 一二三四五六",
        "second: longer than",
        "it",
        "third:",
        "c" * 20,
        "c" * 10,
    ]


@pytest.mark.parametrize("width", [12, 20, 40, 80])
@pytest.mark.parametrize("columns", [1, 2, 3, 9, 30])
def test_no_row_is_wider(columns, width):
    cells = [["中文 and words", "x", "supercalifragilistic"][n % 3] for n in range(columns)]
    rows = table(width, cells, cells, ["", *cells[1:]], aligns=["right"] * columns)
    assert max(map(measure_width, rows)) <= width
    assert "".join(rows).count("supercali") >= 3 * (columns // 3) or width == 12


def test_table_with_only_a_header_is_shown():
    assert table(20, ["a", "b"]) == ["a  b", "-  -"]
