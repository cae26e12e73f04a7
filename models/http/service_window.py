"""The context window that a service says a model has there: of a local server, and of Copilot.

Of a model's row only what the server really runs counts, not what the model was trained for.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import httpx2

from ...config.errors import MaxAgentError
from ...config.network.client import open_client
from ...config.network.response_limits import MAX_JSON_VALUES, ResponseLimits, read_json
from ..resolver import ResolvedModel
from ..served_models import build_headers, build_list_url
from .stated_window import MIN_WINDOW_TOKENS

# Seconds for all answers; a local server that is busy is not waited for
LOCAL_SECONDS, LOGIN_SECONDS = 1.5, 5.0
_LIMITS = ResponseLimits(8_000_000, 2 * LOCAL_SECONDS, max_values=MAX_JSON_VALUES)
_ROW_FIELDS = (
    "loaded_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "n_ctx",
)
_PARAMETER = re.compile(r"^num_ctx +(\d{1,9})$", re.MULTILINE)
_FAILURES = (MaxAgentError, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError)


async def read_service_window(model: ResolvedModel) -> int | None:
    """Return the tokens that the service says; 0 if it does not say; None if it gives no answer."""
    seconds = LOGIN_SECONDS if model.login else LOCAL_SECONDS
    try:
        async with asyncio.timeout(seconds):
            window = await (_ask_copilot(model) if model.login else _ask_server(model))
    except _FAILURES:  # a timeout is an OSError
        return None
    return window if window >= MIN_WINDOW_TOKENS else 0


async def _ask_copilot(model: ResolvedModel) -> int:
    from ..auth.copilot import list_copilot_models

    assert model.login
    rows = await list_copilot_models(model.login)
    return next((row.context or 0 for row in rows if row.name == model.model), 0)


async def _ask_server(model: ResolvedModel) -> int:
    """Ask the server in its own way, then by the list of models that most servers have."""
    headers = build_headers(model)
    async with open_client(_LIMITS, headers=headers, timeout=LOCAL_SECONDS) as client:
        match model.provider.name:
            case "ollama":
                return await _ask_ollama(client, model)
            case "llamacpp":
                window = _read_properties(await _get(client, _build_address(model, "/props")))
            case "lmstudio":
                address = _build_address(model, "/api/v0/models")
                window = _read_rows(await _get(client, address), model.model, _ROW_FIELDS[:1])
            case _:
                window = 0
        if window:
            return window
        answer = await _get(client, build_list_url(model.base_url))
        return _read_rows(answer, model.model, _ROW_FIELDS)


async def _ask_ollama(client: httpx2.AsyncClient, model: ResolvedModel) -> int:
    """Return the window of the loaded model, else what its Modelfile sets.

    `/api/ps`: `{"models": [{"name": "qwen3:8b", "context_length": 4096}]}`, only what is loaded.
    `/api/show`: `{"parameters": "num_ctx    8192\\n…"}`; its `model_info` is about the training.
    """
    loaded = await _get(client, _build_address(model, "/api/ps"))
    if window := _read_rows(loaded, model.model, ("context_length",)):
        return window
    body = {"model": model.model}
    response = await client.post(_build_address(model, "/api/show"), json=body)
    parameters = _read_object(response).get("parameters")
    stated = _PARAMETER.search(parameters) if isinstance(parameters, str) else None
    return int(stated[1]) if stated else 0


def _read_properties(answer: Mapping[str, Any]) -> int:
    """Return the window of llama.cpp: `{"default_generation_settings": {"n_ctx": 65536}}`."""
    settings = answer.get("default_generation_settings")
    fields = cast("Mapping[str, Any]", settings if isinstance(settings, dict) else answer)
    return _to_tokens(fields.get("n_ctx"))


def _read_rows(answer: Mapping[str, Any], model: str, fields: Sequence[str]) -> int:
    """Return the window in the model's row of a list.

    vLLM and SGLang: `{"data": [{"id": "NAME", "max_model_len": 32768}]}`; LM Studio's `/api/v0`:
    `{"data": [{"id": "NAME", "loaded_context_length": 4096, "max_context_length": 131072}]}`.
    """
    rows: object = answer.get("data", answer.get("models"))
    for row in cast("list[Any]", rows) if isinstance(rows, list) else []:
        values = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
        names = {
            values.get(key) for key in ("id", "name", "model") if isinstance(values.get(key), str)
        }
        if names & {model, f"{model}:latest"}:
            return next((size for field in fields if (size := _to_tokens(values.get(field)))), 0)
    return 0


async def _get(client: httpx2.AsyncClient, address: str) -> Mapping[str, Any]:
    return _read_object(await client.get(address))


def _read_object(response: httpx2.Response) -> Mapping[str, Any]:
    """Return the answer; empty if the server does not know what was asked, as other servers do."""
    if response.status_code != 200:
        return {}
    try:
        answer: object = read_json(response.content)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", answer) if isinstance(answer, dict) else {}


def _to_tokens(value: object) -> int:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _build_address(model: ResolvedModel, path: str) -> str:
    parts = urlsplit(model.base_url)
    folder = parts.path.rstrip("/").removesuffix("/v1")
    return urlunsplit(parts._replace(path=folder + path))
