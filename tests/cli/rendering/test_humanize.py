from datetime import UTC, datetime, timedelta

import pytest

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.humanize import (
    format_age,
    format_cost,
    format_count,
    format_duration,
    format_size,
)

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def english():
    use_language("en")
    yield
    use_language("")


@pytest.mark.parametrize(
    ("age", "text"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=-300), "just now"),
        (timedelta(minutes=1), "1 min ago"),
        (timedelta(minutes=59), "59 min ago"),
        (timedelta(hours=23, minutes=59), "23 h ago"),
        (timedelta(days=13, hours=23), "13 d ago"),
    ],
)
def test_an_age_is_shown_in_its_largest_unit(age: timedelta, text: str) -> None:
    assert format_age((NOW - age).isoformat(), NOW) == text


def test_old_moment_is_a_date_and_unknown_empty() -> None:
    assert format_age((NOW - timedelta(days=30)).isoformat(), NOW).startswith("2026-04-")
    assert format_age("") == ""


def test_it_speaks_chinese() -> None:
    use_language("zh")
    assert format_age((NOW - timedelta(hours=3)).isoformat(), NOW) == "3 小时前"
    assert format_duration(259_199.6) == "3 天 0 小时"


def test_durations_have_two_units() -> None:
    durations = [format_duration(seconds) for seconds in (7, 65, 3_660, 259_000)]
    assert durations == ["7 s", "1 min 5 s", "1 h 1 min", "2 d 23 h"]


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (3_450_000, "3.5 MB"), (2e9, "2.0 GB")]
    + [(999_949, "999.9 kB"), (999_950, "1.0 MB"), (999_949_999, "999.9 MB")]
    + [(999_950_000, "1.0 GB"), (5e12, "5000.0 GB")],
)
def test_bytes_are_shown_in_the_largest_unit(count: int, text: str) -> None:
    assert format_size(count) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (1_000, "1.0k"), (9_949, "9.9k"), (9_950, "10k"), (21_039, "21k")]
    + [(999_499, "999k"), (999_500, "1.0M"), (1_340_000, "1.3M")],
)
def test_counts_take_few_characters(count: int, text: str) -> None:
    assert format_count(count) == text


@pytest.mark.parametrize(
    ("dollars", "text"),
    [(0.0, "$0.00"), (0.00004, "$0.00"), (0.0001, "$0.0001"), (0.5, "$0.5000"), (12.3, "$12.3000")],
)
def test_cost_of_nothing_has_no_fractions(dollars: float, text: str) -> None:
    assert format_cost(dollars) == text
