"""What every failure says of itself."""

import pytest

from maxagent.config.errors import LimitReachedError, ModelError
from maxagent.models import errors

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type)]
FAILURES = [kind for kind in KINDS if issubclass(kind, errors.ModelCallError)]
RETRYABLE = {"RateLimitError", "ProviderFaultError", "BrokenStreamError", "EmptyAnswerError"}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_knows_whether_it_may_be_repeated(kind: type[errors.ModelCallError]) -> None:
    failure = kind("it failed", hint="do this", retry_after=2.0)
    assert isinstance(failure, ModelError)
    assert (failure.message, failure.hint, failure.retry_after) == ("it failed", "do this", 2.0)
    assert failure.retryable == (kind.__name__ in RETRYABLE)


def test_context_overflow_is_limit_with_exit_code() -> None:
    overflow = errors.ContextOverflowError("too long")
    assert isinstance(overflow, LimitReachedError)
    assert (overflow.exit_code, errors.RateLimitError("wait").exit_code) == (3, 1)


def test_one_failure_may_differ_from_its_kind() -> None:
    assert errors.EmptyAnswerError("filtered", retryable=False).retryable is False
    assert errors.EmptyAnswerError("silent").retryable is True
