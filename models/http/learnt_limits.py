"""Context windows learnt from a server, where it reads less than its model is said to.

They are remembered in the data folder, each with the window that it corrects: another one, from
the user or the catalogue, counts again.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ...config.errors import MaxAgentError
from ...config.security.private_files import replace_file
from ..errors import ContextOverflowError
from ..resolver import ResolvedModel
from .stated_window import find_stated_window

# Questions in one run: Ollama knows the window of a model only once that is loaded
MAX_QUESTIONS = 3


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
        from .service_window import read_service_window

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
