"""OpenAI's Responses API through langchain-openai, with our own errors."""

import os
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

import httpx2
import openai
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr, SecretStr
from typing_extensions import override

from .. import __version__
from ..config.errors import UsageError
from ..config.network.client import NetworkTransport, build_usual_headers
from ..config.network.failures import find_hint, find_refusal, is_lasting
from ..config.network.proxies import ProxySettings, load_proxies, parse_proxy
from ..config.network.variables import read_variable
from ..config.text import text
from .error_classification import HINTS, RequestTarget, classify_response, classify_stream_error
from .errors import BrokenStreamError, ModelCallError, ProviderFaultError
from .http.client import build_limits
from .http.dialect import RequestOptions
from .http.sse import MAX_EVENT_BYTES
from .resolver import ResolvedModel
from .responses.dialect import convert_message

# The longest pause in an answer
READ_SECONDS = 120.0
_LIMITS = replace(build_limits(READ_SECONDS), max_event_bytes=MAX_EVENT_BYTES)


class LangChainResponsesModel(ChatOpenAI):
    """Streams, never retries, raises `ModelCallError`; stores no conversation there."""

    _resolved: ResolvedModel = PrivateAttr()

    @classmethod
    def from_resolved(cls, resolved: ResolvedModel) -> "LangChainResponsesModel":
        """Return the model at its endpoint."""
        thinks = resolved.temperature is None
        model = cls(
            model=resolved.model,
            base_url=resolved.base_url.partition("?")[0],
            default_query=dict(parse_qsl(urlsplit(resolved.base_url).query)),
            api_key=SecretStr(resolved.api_key or "none"),
            temperature=resolved.temperature,
            max_completion_tokens=resolved.max_tokens,
            max_retries=0,
            # langchain-openai shares one client among all models of one address, even a closed one
            http_async_client=openai.DefaultAsyncHttpxClient(
                transport=NetworkTransport(_LIMITS, proxies=_read_proxies()),
                headers=build_usual_headers(),
                trust_env=False,
            ),
            openai_proxy="",
            timeout=READ_SECONDS,
            stream_chunk_timeout=READ_SECONDS,
            default_headers={
                "User-Agent": f"maxagent/{__version__}",
                **resolved.provider.headers,
                **resolved.extra_headers,
            },
            use_responses_api=True,
            store=False,
            include=["reasoning.encrypted_content"] if thinks else None,
            model_kwargs={"parallel_tool_calls": resolved.parallel_tool_calls},
        )
        model._resolved = resolved
        return model

    async def aclose(self) -> None:
        """Close the connections."""
        await self.root_async_client.close()

    @override
    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Build the request with our own input: an answer's calls have other IDs by now."""
        messages = self._convert_input(input_).to_messages()
        build = cast("Callable[..., dict[str, Any]]", super()._get_request_payload)  # pyright: ignore[reportUnknownMemberType]
        payload = build(input_, stop=stop, **kwargs)
        items = [convert_message(message, self._resolved) for message in messages]
        return {**payload, "input": [item for each in items for item in each]}

    @override
    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        complete = False
        options: RequestOptions = kwargs.pop("options", RequestOptions())
        if options.tool_choice and kwargs.get("tools"):
            kwargs["tool_choice"] = options.tool_choice
        try:
            async for chunk in super()._astream(*args, **kwargs):
                complete = cast(AIMessageChunk, chunk.message).chunk_position == "last"
                yield chunk
        except (openai.OpenAIError, httpx2.HTTPError, TimeoutError, ValueError) as error:
            raise self._to_model_error(error) from error
        if not complete:
            provider = self._build_target().label
            raise BrokenStreamError(
                text("{who} broke off its answer", who=provider), hint=HINTS[ProviderFaultError]
            )

    def _build_target(self) -> RequestTarget:
        key = cast(SecretStr, self.openai_api_key).get_secret_value()
        return RequestTarget(self.model_name, self.root_async_client.base_url.netloc.decode(), key)

    def _to_model_error(self, error: Exception) -> ModelCallError:
        target = self._build_target()
        if isinstance(error, openai.APIStatusError):
            return classify_response(
                target, error.status_code, error.response.text, dict(error.response.headers)
            )
        if isinstance(error, TimeoutError | openai.APITimeoutError):
            message = text(
                "{label} was silent for {read_seconds} s",
                label=target.label,
                read_seconds=f"{READ_SECONDS:g}",
            )
            return ProviderFaultError(message, hint=HINTS[ProviderFaultError])
        refusal = find_refusal(error)
        if refusal:
            return BrokenStreamError(
                text("{first}: {rest}", first=target.label, rest=target.quote(str(refusal))),
                hint=HINTS[ProviderFaultError],
                retryable=False,
            )
        if isinstance(error, openai.APIConnectionError):
            message = text(
                "The connection to {label} failed: {quote}",
                label=target.label,
                quote=target.quote(str(error.__cause__ or error)),
            )
            hint = find_hint(error) or "check the network and the base URL"
            return ProviderFaultError(message, hint=hint, retryable=not is_lasting(error))
        return classify_stream_error(target, str(error))


def _read_proxies() -> ProxySettings:
    """Return the proxy of langchain-openai's own variable, else those of all requests."""
    value = read_variable(os.environ, "OPENAI_PROXY")
    if not value:
        return load_proxies()
    try:
        proxy = parse_proxy("OPENAI_PROXY", value)
    except ValueError as error:
        raise UsageError(text("`OPENAI_PROXY` cannot be read: {reason}", reason=error)) from None
    return ProxySettings(proxy, proxy)
