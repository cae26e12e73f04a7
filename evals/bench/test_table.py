import pytest
from table import Row, find_regressions, show


@pytest.mark.parametrize(
    ("row", "missed"),
    [
        (Row("no bar", 9.0), False),
        (Row("on the bar", 3.0, bar=3.0), False),
        (Row("above it", 3.1, bar=3.0), True),
        (Row("below it", 0.99, bar=1.0, sense="at least"), True),
        (Row("as it should be", 1.0, bar=1.0, sense="at least"), False),
    ],
    ids=lambda value: value.what if isinstance(value, Row) else None,
)
def test_a_bar_is_missed_beyond_it(
    row: Row, missed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    show("title", [row])
    assert row.missed is missed
    assert ("MISSED" in capsys.readouterr().out) is missed


@pytest.mark.parametrize(
    ("row", "is_worse"),
    [
        (Row("the same", 2.0), False),
        (Row("within the noise", 2.2), False),
        (Row("better", 1.0), False),
        (Row("worse", 2.4), True),
        (Row("worse, within its bar", 2.4, bar=3.0), True),
        (Row("less of what should be much", 1.6, sense="at least"), True),
        (Row("more of what should be much", 9.0, sense="at least"), False),
    ],
    ids=lambda value: value.what if isinstance(value, Row) else None,
)
def test_a_regression_is_beyond_the_noise(row: Row, is_worse: bool) -> None:
    assert find_regressions([row], {row.what: 2.0}) == ([row.what] if is_worse else [])
    assert find_regressions([row], {"another": 0.1}) == []
