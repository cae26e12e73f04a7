"""How a model can fail, and which failure an answer of its endpoint is.

ModelCallError
├── AuthenticationError   the key is missing, wrong or not allowed
├── RequestBlockedError   something before the provider, or its rule on places, refuses us
├── QuotaExhaustedError         no money or quota left
├── ModelNotFoundError          no such model, or no such endpoint
├── InvalidRequestError         the endpoint refused the request as it is
├── ToolsNotSupportedError      the model cannot call tools natively; may be repeated as XML
├── ContextOverflowError        the conversation does not fit; exit code 3
├── ContentRefusedError         the model or its filter refused to answer
├── RateLimitError            too many requests; may be repeated later
├── ProviderFaultError          5xx, no connection, no answer in time; may be repeated
├── BrokenStreamError           the answer stopped in the middle; may be repeated
└── EmptyAnswerError            neither text nor a tool call; may be repeated
    └── OnlyThinkingError         the answer's tokens were used up by thinking; a repeat without
"""

from ..config.errors import LimitReachedError, ModelError


class ModelCallError(ModelError):
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
        self.reason = ""
        """What the provider has answered, in its own words."""
        if retryable is not None:
            self.retryable = retryable


class AuthenticationError(ModelCallError):
    """The key is missing, wrong or not allowed to do this."""


class RequestBlockedError(ModelCallError):
    """A firewall, a proxy, a page, or the provider's rule on places refuses us; no key helps."""


class QuotaExhaustedError(ModelCallError):
    """The account has no money or quota left."""


class ModelNotFoundError(ModelCallError):
    """The endpoint does not know the model, or is not a chat endpoint."""


class InvalidRequestError(ModelCallError):
    """The endpoint rejects the request as it is."""


class ToolsNotSupportedError(ModelCallError):
    """The endpoint denies tools for this model; the same request is sent without them then."""


class ContextOverflowError(ModelCallError, LimitReachedError):
    """The conversation is longer than the model can read."""

    exit_code = LimitReachedError.exit_code


class ContentRefusedError(ModelCallError):
    """The model or its filter refused to answer; another request may not be."""


class InputRefusedError(ContentRefusedError):
    """The provider's inspection refused a part of the request; without that part it may pass."""


class RateLimitError(ModelCallError):
    """Too many requests or tokens for now."""

    retryable = True


class ProviderFaultError(ModelCallError):
    """The endpoint failed, was not reached, or timed out."""

    retryable = True


class BrokenStreamError(ModelCallError):
    """The answer stopped before its end."""

    retryable = True


class EmptyAnswerError(ModelCallError):
    """The model returned neither text nor a tool call."""

    retryable = True


class OnlyThinkingError(EmptyAnswerError):
    """The model thought until its answer's token limit, and said nothing."""

    retryable = False
