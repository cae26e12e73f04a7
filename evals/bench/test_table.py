import pytest
from table import Row, show


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
