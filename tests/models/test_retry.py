"""How long to wait, where providers say so, and when not to."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.settings.schema import RetrySection
from maxagent.models.error_classification import RequestTarget, classify_response
from maxagent.models.errors import (
    AuthenticationError,
    ProviderFaultError,
    QuotaExhaustedError,
    RateLimitError,
)
from maxagent.models.retry import compute_delay, find_requested_wait

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT
TARGET = RequestTarget("m", "host")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"llm_provider-retry-after": "3"}, 3.0),
        ({"llm_provider-retry-after": "3", "Retry-After": "2"}, 2.0),
        ({"Retry-After": "7", "Retry-After-Ms": "250"}, 0.25),
        ({"Retry-After": "2s"}, 2.0),
        ({"Retry-After": "1m30s"}, 90.0),
        ({"Retry-After": "450ms"}, 0.45),
        ({"Retry-After": "2 minutes"}, 120.0),
        ({"Retry-After": "Tue, 14 Nov 2023 22:14:20 GMT"}, 60.0),
        ({"Retry-After": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
        ({"Retry-After": "2023-11-14T22:14:20Z"}, 60.0),
        ({"Retry-After": "1700000045"}, 45.0),
        ({"Retry-After": "1700000045000"}, 45.0),
        ({"Retry-After": "1699999999"}, 0.0),
        ({"Retry-After": "99999999999999999999"}, None),
        ({"Retry-After": "1e300"}, None),
        ({"Retry-After": "4000000"}, None),
        ({"Retry-After": "Tue, 14 Nov 2083 22:00:00 GMT"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "0"}, 1.0),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"}, 360.0),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "900"}, None),
        ({"X-RateLimit-Reset": "1700000030000"}, 30.0),
        ({"ratelimit-reset": "30"}, 30.0),
        (
            {
                "anthropic-ratelimit-input-tokens-reset": "2023-11-14T22:13:50Z",
                "anthropic-ratelimit-input-tokens-remaining": "0",
            },
            30.0,
        ),
        ({}, None),
    ],
)
def test_wait_of_headers_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert find_requested_wait(headers, now=NOW) == seconds


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ({"error": {"message": "Rate limit reached. Please try again in 20s."}}, 20.0),
        ({"error": {"message": "Please try again in 6m12.5s."}}, 372.5),
        ({"error": {"message": "try again in 8ms"}}, 0.008),
        ({"error": {"message": "Please retry in 37.469s."}}, 37.469),
        ({"error": {"message": "Too many requests; retry after 2 minutes"}}, 120.0),
        ({"error": {"message": "Please wait 30 seconds before the next one"}}, 30.0),
        ({"message": "Try again in 1 hour, 5 minutes"}, 3900.0),
        ({"error": "limit resets in 45 secs"}, 45.0),
        ({"error": {"details": [{"@type": "RetryInfo", "retryDelay": "37s"}]}}, 37.0),
        ([{"error": {"details": [{"retryDelay": "1.2s"}]}}], 1.2),
        ({"error": {"metadata": {"headers": {"X-RateLimit-Reset": "1700000030000"}}}}, 30.0),
        ({"error": {"retry_after": 12}}, 12.0),
        ({"retry_after_ms": 1500}, 1.5),
        ({"error": {"type": "usage_limit_reached", "resets_in_seconds": 90}}, 90.0),
        ({"error": {"resets_at": NOW + 60}}, 60.0),
        ({"message": "Your limit will reset at 2023-11-15 06:14:20"}, 60.0),
        ({"message": "您的限额将在 2023-11-15 06:14:20 重置。"}, 60.0),
        ({"message": "You will regain access on 2023-11-14 at 22:15 UTC."}, 100.0),
        ({"message": "Limit resets at 2023-11-14T22:14:20Z"}, 60.0),
        ({"message": "Your limit did reset at 2020-01-01 12:00:00"}, None),
        ({"error": {"message": "You have tried again in vain"}}, None),
        ({"error": {"message": "try again in the morning"}}, None),
        ({"error": {"message": "the model waits for 3 users"}}, None),
        ({"error": {"retry_after": "never"}}, None),
    ],
)
def test_wait_of_the_body_is_read(body: object, seconds: float | None) -> None:
    assert find_requested_wait({}, json.dumps(body), now=NOW) == seconds


@pytest.mark.parametrize(
    ("status", "wait", "kind"),
    [
        (429, "37s", RateLimitError),
        (429, "120s", RateLimitError),
        (429, "3600s", QuotaExhaustedError),
        (429, "", QuotaExhaustedError),
        (402, "37s", QuotaExhaustedError),
    ],
)
def test_quota_with_a_short_wait_is_a_limit(status: int, wait: str, kind: type) -> None:
    details = [{"retryDelay": wait}] if wait else []
    message = "You exceeded your current quota, please check your plan and billing details."
    body = json.dumps({"error": {"message": message, "details": details}})
    assert type(classify_response(TARGET, status, body)) is kind


@given(st.text(), st.text())
def test_no_answer_makes_it_fail(header: str, body: str) -> None:
    assert (find_requested_wait({"Retry-After": header}, body, now=NOW) or 0.0) >= 0


@given(st.floats(), st.sampled_from(["Retry-After", "retry-after-ms", "x-ratelimit-reset"]))
def test_every_wait_is_at_most_a_month(number: float, name: str) -> None:
    assert (find_requested_wait({name: str(number)}, now=NOW) or 0.0) <= 30 * 86_400


@pytest.mark.parametrize(
    ("attempt", "least", "number"), [(1, 0.25, 0.5), (2, 0.5, 1.0), (5, 4.0, 8.0), (99, 15.0, 30.0)]
)
def test_delay_doubles_up_to_maximum_with_jitter(attempt: int, least: float, number: float) -> None:
    fault = ProviderFaultError("down")
    assert compute_delay(attempt, fault, RetrySection(), random=lambda: 0.0) == least
    assert compute_delay(attempt, fault, RetrySection(), random=lambda: 1.0) == number


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
