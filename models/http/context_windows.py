"""Context windows that a server has: what a service says of a model, and what is learnt where the
server reads less than its model is said to.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit, urlunsplit

import httpx2

from ...config.errors import MaxAgentError
from ...config.network.client import open_client
from ...config.network.response_limits import MAX_JSON_VALUES, ResponseLimits, read_json
from ...config.security.private_files import replace_file
from ..errors import ContextOverflowError
from ..resolver import ResolvedModel
from ..served_models import build_headers, build_list_url
from .stated_window import MIN_WINDOW_TOKENS, find_stated_window

# Questions in one run: Ollama knows the window of a model only once that is loaded
MAX_QUESTIONS = 3
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


class LearntWindow(NamedTuple):
    """One line of the file."""

    window: int
    declared: int
    """What the catalogue or the user said when it was learnt."""


class LearntLimits:
    """The learnt windows; without a file they are known until the end."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._windows = _read_windows(file) if file else dict[str, LearntWindow]()
        self._questions = dict[str, int]()

    def find_limit(self, model: ResolvedModel) -> int:
        """Return the tokens that the model reads, if fewer than it is said to; 0: not learnt."""
        learnt = self._windows.get(_build_name(model))
        if learnt is None or learnt.declared != model.context_length:
            return 0
        return learnt.window if learnt.window < learnt.declared else 0

    async def ask_service(self, model: ResolvedModel) -> None:
        """Remember the window that the model's service says: a local server, or once Copilot."""
        name = _build_name(model)
        asked = self._questions.get(name, 0)
        known = self._windows.get(name)
        is_known = model.login and known and known.declared == model.context_length
        if is_known or asked >= MAX_QUESTIONS or not (model.provider.local or model.login):
            return
        self._questions[name] = asked + 1
        window = await read_service_window(model)
        if window != 0 or model.login:  # it is known, or there will be no other answer
            self._questions[name] = MAX_QUESTIONS
        learnt = LearntWindow(window or 0, model.context_length)
        if window and learnt != known:
            await self._save(model, learnt)

    async def learn_refusal(
        self, model: ResolvedModel, tokens: int, error: ContextOverflowError, least: int = 0
    ) -> None:
        """Remember that a request of about so many tokens was refused.

        Nothing is learnt below `least`, which each request needs. Where the provider names no
        window, less than half the declared one is about something else, such as a proxy.
        """
        window = find_stated_window(error.message)
        if not window and tokens >= model.context_length // 2:
            window = min(tokens, self.find_limit(model) or tokens)
        if max(least, 1) <= window < model.context_length:
            await self._save(model, LearntWindow(window, model.context_length))

    async def learn_answer(self, model: ResolvedModel, tokens: int) -> None:
        """Raise what was learnt if the model has read more."""
        if 0 < self.find_limit(model) < tokens:
            await self._save(model, LearntWindow(tokens, model.context_length))

    async def forget(self, model: ResolvedModel) -> int:
        """Forget what was learnt of the model; return it, 0 if it was nothing."""
        window = self.find_limit(model)
        await self._save(model, None)
        return window

    async def _save(self, model: ResolvedModel, learnt: LearntWindow | None) -> None:
        name = _build_name(model)
        _set_window(self._windows, name, learnt)
        if self._file:
            await asyncio.to_thread(_save_window, self._file, name, learnt)


def _build_name(model: ResolvedModel) -> str:
    # another server may run the same model with another window
    return f"{model.name} {model.host}"


def _set_window(
    windows: dict[str, LearntWindow], name: str, learnt: LearntWindow | None
) -> Mapping[str, LearntWindow]:
    if learnt:
        windows[name] = learnt
    else:
        windows.pop(name, None)
    return windows


def _read_windows(file: Path) -> dict[str, LearntWindow]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return {}
    parts = (line.split(" ", 2) for line in lines)
    return {
        each[2]: LearntWindow(int(each[0]), int(each[1]))
        for each in parts
        if len(each) == 3 and each[0].isdecimal() and each[1].isdecimal()
    }


def _save_window(file: Path, name: str, learnt: LearntWindow | None) -> None:
    """Save one line; the others may have come from another process."""
    windows = _set_window(_read_windows(file), name, learnt)
    lines = "".join(
        f"{each.window} {each.declared} {name}\n" for name, each in sorted(windows.items())
    )
    try:
        replace_file(file, lines.encode())
    except (OSError, MaxAgentError):
        return  # the next run learns it again


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
