"""Models whose endpoint has denied requests with tools; remembered in the data folder."""

import asyncio
import re
from pathlib import Path

from ...config.errors import MaxAgentError
from ...config.security.private_files import replace_file
from ..resolver import ResolvedModel

_REFUSAL = re.compile(
    "|".join(
        (
            r"do(es)? not support (\w+ )?(tools?\b|function[ _]call)",  # Ollama, Fireworks
            r"(tools?|tool[ _](use|calls?|calling|choice)|function[ _]call(s|ing)?)\W{0,3}"
            r"(is|are) not (supported|enabled)",  # Groq, Gemini, Mistral
            r"no endpoints found that support tool use",  # OpenRouter
            r"requires --enable-auto-tool-choice",  # vLLM
            r"tools param requires --jinja",  # llama.cpp
            r"does not support parameters: \[[^]]*['\"]tools",  # LiteLLM
        )
    ),
    re.IGNORECASE,
)


def is_tools_refusal(message: str) -> bool:
    """Return whether an endpoint's error says that the model cannot call tools."""
    return _REFUSAL.search(message) is not None


class ToolRefusals:
    """The models that are asked without tools; without a file they are known until the end."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._names = _read_names(file) if file else set[str]()

    def has_model(self, model: ResolvedModel) -> bool:
        """Return whether this endpoint has denied tools for this model."""
        return _build_name(model) in self._names

    async def add_model(self, model: ResolvedModel) -> None:
        """Remember that this endpoint denies tools for this model."""
        self._names.add(_build_name(model))
        if self._file:
            await asyncio.to_thread(_save_names, self._file, self._names)


def _build_name(model: ResolvedModel) -> str:
    # another server may have the same model with native calling
    return f"{model.name} {model.host}"


def _read_names(file: Path) -> set[str]:
    try:
        return set(filter(None, file.read_text(encoding="utf-8").splitlines()))
    except (OSError, ValueError):
        return set()


def _save_names(file: Path, names: set[str]) -> None:
    try:
        replace_file(
            file, "".join(f"{name}\n" for name in sorted(names | _read_names(file))).encode()
        )
    except (OSError, MaxAgentError):
        return  # the next run asks once more
