"""Which model is asked when one cannot answer."""

import pytest

from maxagent.models import errors
from maxagent.models.catalog import Price
from maxagent.nodes.turn.fallback_models import (
    can_be_dearer,
    can_fail_over,
    list_candidates,
    price_to_json,
)


@pytest.mark.parametrize(
    ("kind", "can"),
    [
        (errors.AuthenticationError, True),
        (errors.QuotaExhaustedError, True),
        (errors.RateLimitError, True),
        (errors.ProviderFaultError, True),
        (errors.BrokenStreamError, True),
        (errors.ContentRefusedError, False),
        (errors.InvalidRequestError, False),
        (errors.ContextOverflowError, False),
        (errors.ModelNotFoundError, False),
        (errors.EmptyAnswerError, False),
    ],
)
def test_only_an_unavailable_model_is_replaced(
    kind: type[errors.ModelCallError], can: bool
) -> None:
    assert can_fail_over(kind("no")) is can


@pytest.mark.parametrize(
    ("current", "candidates"),
    [("", ["a", "b", "c"]), ("a", ["b", "c"]), ("c", []), ("gone", ["a", "b", "c"])],
)
def test_candidates_come_after_the_current_one(current: str, candidates: list[str]) -> None:
    assert list_candidates(["a", "b", "c"], current) == candidates


@pytest.mark.parametrize(
    ("before", "after", "dearer"),
    [
        (Price(1, 2), Price(1, 2), False),
        (Price(1, 2), Price(2, 2), True),
        (Price(1, 2), Price(0.5, 3), True),
        (Price(2, 2), Price(1, 1), False),
        (None, Price(9, 9), True),
        (Price(1, 1), None, True),
    ],
)
def test_higher_or_unknown_price_can_be_dearer(
    before: Price | None, after: Price | None, dearer: bool
) -> None:
    assert can_be_dearer(before, after) is dearer


def test_price_says_what_cached_input_costs() -> None:
    assert price_to_json(Price(2, 8)) == {"input": 2, "output": 8, "cached": 2}
    assert price_to_json(Price(2, 8, 0.5)) == {"input": 2, "output": 8, "cached": 0.5}
    assert price_to_json(None) is None
