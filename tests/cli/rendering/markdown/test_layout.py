import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from maxagent.cli.rendering.line_breaks import ADDRESS
from maxagent.cli.rendering.markdown.blocks import MarkdownBlock
from maxagent.cli.rendering.markdown.layout import render_block, render_table
from maxagent.cli.rendering.text_width import measure_width

LINES = [
    "# h 标题",
    "- 项目 one",
    "1. x",
    "   - deep",
    "> 引用 quote",
    "```py",
    "x = '中文' # y",
    "```",
]
LINES += [
    "| a | 中文 | c |",
    "|---|:-:|--:|",
    "| 1 | 一二三四五六七八 | long words here |",
    "",
    "***",
]
LINES += ["`code` **bold** [链接](http://a.b/中文) ![i](s.png)", "    indented", "\ttab", "x" * 90]
ANY = st.lists(st.sampled_from(LINES), max_size=25).map("\n".join)


def plain(source, width=40):
    return [row.plain for row in render_block(MarkdownBlock(source), width)]


def in_colour(source, width=40):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", soft_wrap=True)
    for row in render_block(MarkdownBlock(source), width):
        console.print(row)
    return out.getvalue()


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("# Title *x*", ["Title x"]),
        ("a **b** `c` ~~d~~\ne", ["a b c d", "e"]),
        ("a\n\nb", ["a", "", "b"]),
        ("- a\n- b\n  - c\n\n    d", ["• a", "• b", "  • c", "", "    d"]),
        ("- a\n- b\n  - c", ["• a", "• b", "  • c"]),
        ("8. a\n9. b\n10. c", ["8. a", "9. b", "10. c"]),
        ("- ", ["•"]),
        ("- a\n\n- b", ["• a", "", "• b"]),
        ("> a\n> > b", ["▎ a", "▎", "▎ ▎ b"]),
        ("```py\nx\n\n```", ["x", ""]),
        ("```\nnot closed", ["not closed"]),
        ("```", []),
        ("```nonsense x\n\ty\n```", ["    y"]),
        ("- ```\n  x\n  ```", ["• x"]),
        ("    x\n\n    y", ["    x", "", "    y"]),
        ("---", ["─" * 40]),
        ("[a](http://b)", ["a (http://b)"]),
        ("[a](<http://b/中 文>)", ["a (http://b/中 文)"]),
        ("[http://b](http://b) <http://b> <a@b.c>", ["http://b http://b a@b.c"]),
        ("[a]() ![](i.png) ![alt](i.png)", ["a i.png alt (i.png)"]),
        ("[a]: http://b\n[a]", ["[a]: http://b", "[a]"]),
        ("Vec<T> <b>x</b>\n\n<div>\ny\n</div>", ["Vec<T> <b>x</b>", "", "<div>", "y", "</div>"]),
        ("| a | b |\n|---|---|\n| `x` | **y** |", ["a  b", "─  ─", "x  y"]),
        ("a\\*b &amp; &lt;", ["a*b & <"]),
    ],
)
def test_marks_become_bullets_bars_rules_and_styles(source, output):
    assert plain(source) == output


def test_styles_show_what_the_marks_mean():
    output = in_colour("# h\n\n**b** *i* `c`\n\n```python\nreturn 1\n```")
    for piece in (
        "\x1b[1;4mh",
        "\x1b[1mb",
        "\x1b[3mi",
        "\x1b[35mc",
        "\x1b[94mreturn",
    ):
        assert piece in output


@settings(deadline=None)
@given(ANY, st.sampled_from([8, 40, 80]))
def test_no_row_is_wider_than_the_window(source, width):
    rows = [row for row in plain(source, width) if not ADDRESS.search(row)]
    assert all(measure_width(row) <= width for row in rows)


@pytest.mark.parametrize(
    "hostile",
    [
        "a\x1b[2Jb",
        "`\x1b]8;;http://evil\x07x\x1b]8;;\x07`",
        "[x](http://a\x1b]0;t\x07)",
        "[x](<http://a/\u202egpj>)",
        "&#x202e; &#x9b;31m &#8203;",
        "```\x1b[31mpy\n\x9b2J\n```",
        "```&#x202e;\nx\n```",
        "![\x1b[1m](\x1b[2m)",
        "| \x1b[1m |\n|---|\n| \u2066 |",
        "    \x1b[2J",
        "- a\r\x1b[2K",
        "[x](javascript:alert&#x1b;)",
    ],
)
def test_nothing_foreign_steers_the_terminal(hostile):
    text = "".join(plain(hostile, 80))
    assert not set(text) & set("\x1b\x07\r\x9b\u202e\u2066\u200b")
    assert "\x1b]8" not in in_colour(hostile, 80)


def test_a_secret_is_hidden_wherever_it_stands(monkeypatch):
    secret = "sk-abc_def_1234567890abcdef"
    for source in (f"a {secret}", f"`{secret}`", f"```\n{secret}\n```", f"[x](http://{secret})"):
        assert "1234567890" not in "".join(plain(source, 80))


def test_part_of_fence_continues_highlighting_of_earlier_part():
    first, second = '```python\nx = """\n', 'return\n"""\n'
    assert [row.plain for row in render_block(MarkdownBlock(second, first), 40)] == [
        "return",
        '"""',
    ]
    string, keyword = (
        render_block(MarkdownBlock(second, first), 40)[0],
        render_block(MarkdownBlock(second, "```python\n"), 40)[0],
    )
    assert {str(span.style) for span in string.spans} != {str(span.style) for span in keyword.spans}


def test_deeply_nested_text_is_shown_in_narrow_window():
    source = "".join(f"{'  ' * depth}- item{depth}\n" for depth in range(20))
    text = "".join("".join(plain(source, 20)).split())
    assert all(f"•item{depth}" in text for depth in range(20))


def table(width, *lines, aligns=("left", "center", "right")):
    header, *body = [[Text(cell) for cell in line] for line in lines]
    return [row.plain for row in render_table(header, body, aligns[: len(header)], width)]


def test_columns_are_side_by_side_with_their_alignment():
    assert table(40, ["a", "说明", "c"], ["one", "中", "1"], ["x", "中文字", "20"]) == [
        "a     说明    c",
        "───  ──────  ──",
        "one    中     1",
        "x    中文字  20",
    ]


def test_widest_column_shrinks_and_rows_are_separated():
    lines = (["name", "description"], ["one", "reads all of the files"], ["two", "x"])
    assert table(24, *lines, aligns=("left", "left")) == [
        "name  description",
        "────  ──────────────────",
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


@pytest.mark.parametrize("width", [20, 40, 60, 100])
def test_no_block_breaks_an_address(width):
    page = "https://docs.python.org/3/library/functions.html#round"
    blocks = [
        f"see {page}, and more",
        f"# about {page}",
        f"- one\n  - see {page}.\n  - two",
        f"1. [round]({page})",
        f"> so says {page}",
        f"| what | where |\n|---|---|\n| round | {page} |",
    ]
    for block in blocks:
        rows = [row.plain for row in render_block(MarkdownBlock(block), width)]
        assert any(page in row for row in rows), rows
    nested = [row.plain for row in render_block(MarkdownBlock(blocks[2]), 40)]
    assert f"    {page}." in nested  # below the text of its list


def test_table_with_only_a_header_is_shown():
    assert table(20, ["a", "b"]) == ["a  b", "─  ─"]
