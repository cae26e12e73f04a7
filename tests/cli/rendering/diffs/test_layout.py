from collections.abc import Iterator

import pytest
from rich.text import Text

from maxagent.cli.rendering.diffs.layout import (
    find_changed_words,
    fold_rows,
    render_file_head,
    render_hunks,
)
from maxagent.cli.rendering.diffs.parser import parse_diff
from maxagent.cli.rendering.text_width import measure_width
from maxagent.cli.rendering.theme import use_theme
from maxagent.tools.textedits.unified_diff import build_diff

OLD = "def total(prices):\n    result = 0\n    return result - discount\n"
NEW = "def total(prices):\n    result = 0\n    return result * discount\n\n\nprint('中文')\n"


@pytest.fixture(autouse=True, params=["ansi", "dark", "light"])
def theme(request: pytest.FixtureRequest) -> Iterator[str]:
    use_theme(request.param)
    yield request.param
    use_theme("")


def rows_of(old: str, new: str, width: int = 60) -> list[Text]:
    (file,) = parse_diff(build_diff(old, new, "src/cart.py"))
    return list(render_hunks(file, width))


def test_rows_have_number_sign_and_code() -> None:
    assert [row.plain.rstrip() for row in rows_of(OLD, NEW)] == [
        "  1   def total(prices):",
        "  2       result = 0",
        "  3 −     return result - discount",
        "  3 +     return result * discount",
        "  4 +",
        "  5 +",
        "  6 + print('中文')",
    ]


def test_changed_word_is_lit(theme: str) -> None:
    _, _, removed, added, *_ = rows_of(OLD.replace("\n\n", ""), NEW.partition("\n\n")[0] + "\n")
    lit = {"ansi": "underline", "dark": "#1f5a35", "light": "#a5e6b4"}[theme]
    spans = [span for span in added.spans if lit in str(span.style)]
    assert [added.plain[span.start : span.end] for span in spans] == ["*"]
    assert "-" in removed.plain


@pytest.mark.parametrize("width", [12, 20, 40])
def test_long_lines_are_broken_and_keep_every_character(width: int) -> None:
    long = "x = '" + "中文 and words " * 9 + "'"
    rows = rows_of("a\n", f"{long}\n", width)
    assert all(measure_width(row.plain) <= width for row in rows)
    assert "".join(row.plain[6:] for row in rows[1:]).replace(" ", "") == long.replace(" ", "")


def test_head_names_the_file_and_counts() -> None:
    (file,) = parse_diff(build_diff(OLD, NEW, "src/cart.py"))
    assert render_file_head(file).plain == "src/cart.py  +4 −1"


def test_hunks_are_apart_and_control_characters_visible() -> None:
    old = "\n".join(map(str, range(40)))
    rows = rows_of(old, old.replace("\n2\n", "\n\x1b[2J\u202e\n").replace("\n33\n", "\nx\n"))
    plain = "\n".join(row.plain for row in rows)
    assert "  ⋮" in plain and "\\x1b[2J\\u202e" in plain


def test_folding_tells_how_many_rows_are_left() -> None:
    rows = [Text(str(number)) for number in range(30)]
    assert [row.plain for row in fold_rows(rows, 2)] == ["0", "1", "… 28 more lines"]
    assert len(fold_rows(rows, None)) == 30 and len(fold_rows(rows, 29)) == 30


def test_broken_code_hangs_under_its_indent() -> None:
    line = "    total = first_long_name + second_long_name + third_long_name\n"
    rows = [row.plain.rstrip() for row in rows_of("a\n", line, 48)][1:]
    assert rows[0].startswith("  1 +     total = ") and len(rows) == 2
    assert rows[1].startswith(" " * 10) and rows[1].split()[-1] == "third_long_name"


@pytest.mark.parametrize("width", range(24, 60))
def test_code_is_broken_without_empty_rows(width: int) -> None:
    line = "        # What the basket costs is taken from the sum, not from  each price.\n"
    rows = [row.plain for row in rows_of("a\n", line, width)][1:]
    codes = [row[5:] for row in rows]
    assert all(code.strip() for code in codes)
    assert "".join("".join(codes).split()) == "".join(line.split())
    assert max(map(len, rows)) <= width


@pytest.mark.parametrize(
    ("old", "new", "removed", "added"),
    [
        ("return a - b", "return a + b", ["-"], ["+"]),
        ("x = total(prices)", "x = total(prices, tax)", [], [", tax"]),
        ("价格 = 一二三四 a b", "价格 = 一二三四 a c", ["b"], ["c"]),
        ("same", "same", [], []),
        ("nothing alike", "xyz = 12345", [], []),
        ("x" * 501 + " a", "x" * 501 + " b", [], []),
    ],
)
def test_only_what_differs_is_lit(old: str, new: str, removed: list[str], added: list[str]) -> None:
    old_spans, new_spans = find_changed_words(old, new)
    assert [old[begin:end] for begin, end in old_spans] == removed
    assert [new[begin:end] for begin, end in new_spans] == added
