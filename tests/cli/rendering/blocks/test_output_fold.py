import pytest

from maxagent.cli.rendering.blocks.output_fold import (
    FIRST_ROWS,
    LAST_ROWS,
    LAST_ROWS_OF_SUCCESS,
    LIVE_ROWS,
    OutputFold,
    shorten_rules,
)


def filled(count: int) -> OutputFold:
    output = OutputFold(keeps_all=True)
    text = "".join(f"line {number}\n" for number in range(count))
    for begin in range(0, len(text), 7):
        output.add_text(text[begin : begin + 7])
    return output


def test_failure_shows_first_rows_and_last_eight() -> None:
    first, hidden, last = filled(50).finish(ok=False)
    assert first == [f"line {number}" for number in range(FIRST_ROWS)]
    assert last == [f"line {number}" for number in range(50 - LAST_ROWS, 50)]
    assert hidden == 50 - FIRST_ROWS - LAST_ROWS


def test_success_shows_fewer_last_rows() -> None:
    _, hidden, last = filled(50).finish(ok=True)
    assert len(last) == LAST_ROWS_OF_SUCCESS and last[-1] == "line 49"
    assert hidden == 50 - FIRST_ROWS - LAST_ROWS_OF_SUCCESS


def test_short_output_is_whole() -> None:
    for count in range(FIRST_ROWS + LAST_ROWS_OF_SUCCESS + 2):
        first, hidden, last = filled(count).finish(ok=True)
        assert [*first, *last] == [f"line {number}" for number in range(count)] and not hidden


def test_live_rows_are_the_last() -> None:
    output = filled(20)
    output.add_text("begun")
    assert output.list_live_rows() == [*(f"line {n}" for n in range(21 - LIVE_ROWS, 20)), "begun"]


def test_progress_of_one_line_and_blanks_are_folded() -> None:
    output = OutputFold(keeps_all=True)
    output.add_text("10 %\r50 %\r100 %\n\n\ndone")
    assert output.finish(ok=True) == (["100 %", "done"], 0, [])
    assert list(output.lines) == ["100 %", "", "", "done"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("=" * 30 + " FAILURES " + "=" * 30, "=" * 15 + " FAILURES " + "=" * 15),
        ("_" * 60, "_" * 40),
        ("--- FAIL: TestX", "--- FAIL: TestX"),
        ("=" * 40, "=" * 40),
        ("─" * 50 + " a name of a test", "─" * 23 + " a name of a test"),
        ("x" * 60, "x" * 60),
    ],
)
def test_rules_of_a_program_fit_the_row(line: str, expected: str) -> None:
    assert shorten_rules(line, 40) == expected


RULE = "=" * 30
TOTAL = "2 failed, 1 passed in 2.7s"


@pytest.mark.parametrize(
    ("lines", "hidden", "last"),
    [
        (["E  1 == 2", TOTAL], 0, ["E  1 == 2"]),
        ([f"{RULE} FAILURES {RULE}", "E  1 == 2", f"{RULE} {TOTAL} {RULE}"], 0, ["E  1 == 2"]),
        ([f"{'_' * 20} test_a {'_' * 20}", "E  no", TOTAL], 0, ["test_a", "E  no"]),
        ([*(f"{n}" for n in range(9)), TOTAL], 4, ["4", "5", "6", "7", "8"]),
        (
            [*(f"{n}" for n in range(40)), RULE, "FAILED a", TOTAL],
            36,
            ["36", "37", "38", "39", "FAILED a"],
        ),
        ([RULE, TOTAL, RULE], 0, []),
    ],
)
def test_red_tests_show_few_rows(lines: list[str], hidden: int, last: list[str]) -> None:
    output = OutputFold(keeps_all=True)
    output.add_text("\n".join(lines))
    assert output.finish(ok=False) == ([], hidden, last)
    assert list(output.lines) == lines
