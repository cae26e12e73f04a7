import pytest

from maxagent.models.http.json_fields import to_count


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (7, 7),
        ("7", 7),
        ("7.0", 7),
        (" 12 ", 12),
        (7.6, 8),
        ("1e3", 1000),
        (-1, 0),
        (True, 0),
        (None, 0),
        ("many", 0),
        (float("nan"), 0),
        (float("inf"), 0),
        (2**63, 0),
        ([7], 0),
    ],
)
def test_count_is_read_in_every_form(value: object, count: int) -> None:
    assert to_count(value) == count
