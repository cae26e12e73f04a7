"""How a model can fail, and which failure an answer of its endpoint is.

ModelFailure
├── AuthenticationFailed   the key is missing, wrong or not allowed
├── QuotaExhausted         no money or quota left
├── ModelNotFound          no such model, or no such endpoint
├── InvalidRequest         the endpoint refused the request as it is
├── ContextOverflow        the conversation does not fit; exit code 3
├── RateLimited            too many requests; may be repeated later
├── ProviderFault          5xx, no connection, no answer in time; may be repeated
├── BrokenStream           the answer stopped in the middle; may be repeated
└── EmptyAnswer            neither text nor a tool call; may be repeated
"""

from ..config.errors import LimitReached, ModelError


class ModelFailure(ModelError):
    """A model did not answer. `retryable`: the same request may succeed later."""

    retryable = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        retry_after: float | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after
        """Seconds that the provider asks us to wait."""
        if retryable is not None:
            self.retryable = retryable


class AuthenticationFailed(ModelFailure):
    """The key is missing, wrong or not allowed to do this."""


class QuotaExhausted(ModelFailure):
    """The account has no money or quota left."""


class ModelNotFound(ModelFailure):
    """The endpoint knows no such model, or is no chat endpoint."""


class InvalidRequest(ModelFailure):
    """The endpoint refuses the request as it is."""


class ContextOverflow(ModelFailure, LimitReached):
    """The conversation is longer than the model can read."""

    exit_code = LimitReached.exit_code


class RateLimited(ModelFailure):
    """Too many requests or tokens for now."""

    retryable = True


class ProviderFault(ModelFailure):
    """The endpoint failed, was not reached, or did not answer in time."""

    retryable = True


class BrokenStream(ModelFailure):
    """The answer stopped before its end."""

    retryable = True


class EmptyAnswer(ModelFailure):
    """The model said nothing and called nothing."""

    retryable = True
