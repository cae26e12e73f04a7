"""The models that a provider's server has, as its list of models says."""

import http.client
import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from ..config.errors import MaxAgentError, UsageError
from ..config.network.response_limits import MAX_JSON_VALUES, ResponseLimits, read_json
from ..config.text import text
from .address import join_address, trim_base_url
from .catalog import list_models_of
from .error_classification import classify_response
from .errors import InvalidRequestError, ModelCallError, ProviderFaultError
from .providers import Provider, explain_unreachable, load_providers
from .resolver import ResolvedModel

if TYPE_CHECKING:
    import httpx2


# Seconds for the whole list; a local server answers at once
LIST_SECONDS = 15.0
# Bytes of a list: that of the largest gateway has 1 MB
MAX_LIST_BYTES = 8_000_000
LIST_LIMITS = ResponseLimits(MAX_LIST_BYTES, 2 * LIST_SECONDS, max_values=MAX_JSON_VALUES)
# Names of models that do not chat
_OTHER_KINDS = re.compile(
    r"embed|rerank|whisper|transcri|tts|speech|audio|image|dall-e|diffusion|moderation|guard|ocr"
    r"|\bbge-|\bclip\b|\*",
    re.IGNORECASE,
)
# Seconds for a server of this machine to answer
PATIENCE = 0.5


async def find_served_model(resolved: ResolvedModel) -> str:
    """Return `PROVIDER/MODEL` of the first model of the server that can chat.

    Raises UsageError if it has none, and ModelCallError if it does not answer.
    """
    provider = resolved.provider.name
    usable = [name for name in await list_served_models(resolved) if can_chat(name)]
    if not usable:
        raise UsageError(
            text("`{provider}` at {host} has no model", provider=provider, host=resolved.host),
            hint=text(
                "load one there, or set `model.default` to `{provider}/MODEL`", provider=provider
            ),
        )
    return f"{provider}/{usable[0]}"


async def list_chat_models(resolved: ResolvedModel) -> list[str]:
    """Return the provider's models that can chat: first its default, then the catalogue's.

    Of a server that does not answer, those of the catalogue: the first request says what is wrong.
    """
    catalog_names = list_models_of(resolved.provider.name)
    try:
        served = [name for name in await list_served_models(resolved) if can_chat(name)]
    except MaxAgentError:
        served = []
    names = (
        [*(name for name in catalog_names if name in served), *served] if served else catalog_names
    )
    is_offered = bool(resolved.model) and (resolved.model in served or not served)
    return list(dict.fromkeys([*([resolved.model] if is_offered else []), *names]))


def can_chat(name: str) -> bool:
    """Return whether a model of that name can chat, as far as its name tells."""
    return not _OTHER_KINDS.search(name)


async def list_served_models(resolved: ResolvedModel) -> list[str]:
    """Return the names of all models of the server, in its order; raises ModelCallError."""
    if resolved.login:
        from .auth.copilot import list_copilot_models

        return [
            model.name for model in await list_copilot_models(resolved.login) if model.can_be_picked
        ]
    import httpx2  # late: the light commands do without

    from ..config.network.client import open_client
    from ..config.network.failures import describe_no_answer, find_hint

    headers = build_headers(resolved)
    try:
        async with open_client(LIST_LIMITS, headers=headers, timeout=LIST_SECONDS) as client:
            response = await client.get(build_list_url(resolved.base_url))
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ProviderFaultError(
            describe_no_answer(resolved.host, error),
            hint=find_hint(error) or explain_unreachable(resolved.provider),
        ) from error
    return _read_names(resolved, response)


def build_list_url(base_url: str) -> str:
    """Return the address of the list: `/v1/models` of a host, `/models` behind a path."""
    path = "/models" if urlsplit(base_url).path.strip("/") else "/v1/models"
    return join_address(base_url, path)


def build_headers(resolved: ResolvedModel) -> dict[str, str]:
    """Return the headers of a request about the provider's models."""
    return {
        **_build_key_headers(resolved),
        **resolved.provider.headers,
        **resolved.extra_headers,
    }


def _build_key_headers(resolved: ResolvedModel) -> dict[str, str]:
    if not resolved.api_key:
        return {}
    if resolved.provider.name == "anthropic":
        return {"x-api-key": resolved.api_key, "anthropic-version": "2023-06-01"}
    return {"Authorization": f"Bearer {resolved.api_key}"}


def _read_names(resolved: ResolvedModel, response: "httpx2.Response") -> list[str]:
    if response.status_code != 200:
        raise classify_response(
            resolved.target, response.status_code, response.text, response.headers
        )
    try:
        return parse_names(response.text)
    except ValueError as error:
        raise _build_no_list_error(resolved) from error


def parse_names(document: str) -> list[str]:
    """Return the names in a list of models; raises ValueError if it is not one."""
    parsed: Any = read_json(document)
    if isinstance(parsed, dict):
        fields = cast("dict[str, Any]", parsed)
        parsed = fields.get("data", fields.get("models"))
    if not isinstance(parsed, list):
        raise ValueError
    rows = [
        cast("dict[str, Any]", row) for row in cast("list[Any]", parsed) if isinstance(row, dict)
    ]
    ids: list[Any] = [row.get("id") for row in rows]
    # Gemini's names have its folder before them
    return [name.removeprefix("models/") for name in ids if isinstance(name, str) and name]


def _build_no_list_error(resolved: ResolvedModel) -> ModelCallError:
    return InvalidRequestError(
        text("{host} sent no list of its models", host=resolved.host),
        hint=text(
            "name the model: `--model {provider}/MODEL`, or `model.default`",
            provider=resolved.provider.name,
        ),
    )


def find_local_servers(environ: Mapping[str, str]) -> list[Provider]:
    """Return the providers without a key whose server answers with a list of models."""
    local = [each for each in load_providers().values() if each.local and each.available]
    with ThreadPoolExecutor(len(local)) as threads:
        answers = list(threads.map(has_models, [locate_server(each, environ) for each in local]))
    return [each for each, answered in zip(local, answers, strict=True) if answered]


def locate_server(provider: Provider, environ: Mapping[str, str]) -> str:
    """Return the address of the provider's server; as it is written if it is none."""
    address = provider.find_endpoint(environ) or provider.base_url
    try:
        return trim_base_url(address)
    except ValueError:
        return address


def has_models(base_url: str) -> bool:
    """Return whether a server answers there with a list of models, and at once."""
    try:
        parts = urlsplit(base_url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE)
        try:
            connection.request("GET", f"{parts.path}/models")
            value: Any = json.loads(connection.getresponse().read(1_000_000))
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException):
        return False
    return isinstance(value, dict) and ("data" in value or "models" in value)
