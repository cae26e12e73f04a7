"""How long to wait, and when not to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.settings.schema import RetrySection
from maxagent.models.errors import AuthenticationError, ProviderFaultError, RateLimitError
from maxagent.models.retry import compute_delay, parse_retry_after

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("attempt", "least", "most"), [(1, 0.25, 0.5), (2, 0.5, 1.0), (5, 4.0, 8.0), (99, 15.0, 30.0)]
)
def test_delay_doubles_up_to_maximum_with_jitter(attempt: int, least: float, most: float) -> None:
    fault = ProviderFaultError("down")
    assert compute_delay(attempt, fault, RetrySection(), random=lambda: 0.0) == least
    assert compute_delay(attempt, fault, RetrySection(), random=lambda: 1.0) == most


def test_delay_follows_the_settings() -> None:
    settings = RetrySection(initial_delay=2, max_delay=10, exponential_base=3)
    fault = ProviderFaultError("down")
    delays = [compute_delay(n, fault, settings, random=lambda: 1.0) for n in (1, 2, 3)]
    assert delays == [2, 6, 10]


@pytest.mark.parametrize(
    ("asked", "waits"), [(3.0, 3.0), (0.0, 0.25), (120.0, 120.0), (120.1, None)]
)
def test_the_providers_wish_counts_up_to_two_minutes(asked: float, waits: float | None) -> None:
    assert (
        compute_delay(
            1, RateLimitError("wait", retry_after=asked), RetrySection(), random=lambda: 0.0
        )
        == waits
    )


def test_what_cannot_succeed_is_not_repeated() -> None:
    assert (
        compute_delay(1, AuthenticationError("wrong key"), RetrySection(), random=lambda: 0.0)
        is None
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"llm_provider-retry-after": "3"}, 3.0),
        ({"llm_provider-retry-after": "3", "Retry-After": "2"}, 2.0),
        ({"Retry-After": "7", "Retry-After-Ms": "250"}, 0.25),
        ({"Retry-After": "Tue, 14 Nov 2023 22:14:20 GMT"}, 60.0),
        ({"Retry-After": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
    ],
)
def test_retry_after_accepts_seconds_milliseconds_or_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert parse_retry_after(headers, now=NOW) == seconds


@given(st.text())
def test_no_header_makes_it_fail(text: str) -> None:
    assert (parse_retry_after({"Retry-After": text}, now=NOW) or 0.0) >= 0
