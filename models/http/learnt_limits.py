"""Requests that models have refused as too long; remembered in the data folder.

What the catalogue or the user says of a window can be wrong, and a server may have been started
with a smaller one.
"""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from ...config.errors import MaxAgentError
from ...config.security.private_files import replace_file
from ..errors import ContextOverflowError
from ..resolver import ResolvedModel

# A refusal of less than this is about something else
SMALLEST = 2_000
# What fits, of a request that did not
SHARE = 0.9
_NUMBER = re.compile(r"\d[\d,_]{3,}")


class LearntLimits:
    """Tokens that fit each model; without a file they are known until the end."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._limits = _read_limits(file) if file else dict[str, int]()

    def find_limit(self, model: ResolvedModel) -> int:
        """Return the tokens of a request that fits; 0: nothing was learnt."""
        return self._limits.get(_build_name(model), 0)

    async def learn_refusal(
        self, model: ResolvedModel, tokens: int, error: ContextOverflowError
    ) -> None:
        """Remember that a request of so many tokens was refused."""
        limit = round(find_stated_limit(error.message, tokens) * SHARE)
        if limit < SMALLEST:
            return
        known = self.find_limit(model)
        self._limits[_build_name(model)] = min(limit, known or limit)
        if self._file:
            await asyncio.to_thread(_save_limits, self._file, self._limits)


def _build_name(model: ResolvedModel) -> str:
    # another server may run the same model with another window
    return f"{model.name} {model.host}"


def find_stated_limit(message: str, tokens: int) -> int:
    """Return the limit that a refusal of about so many tokens states; else these tokens.

    A message has other numbers, too: the limit is not far from the request's size, which is an
    estimate.
    """
    numbers = [int(re.sub(r"\D", "", each)) for each in _NUMBER.findall(message)]
    below = [number for number in numbers if tokens // 2 <= number <= tokens]
    above = [number for number in numbers if tokens < number <= tokens * 4]
    return min(below or above or [tokens])


def _read_limits(file: Path) -> dict[str, int]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return {}
    parts = (line.partition(" ") for line in lines)
    return {name: int(limit) for limit, _, name in parts if limit.isdecimal() and name}


def _save_limits(file: Path, limits: Mapping[str, int]) -> None:
    known = _read_limits(file)
    merged = known | {name: min(known.get(name, limit), limit) for name, limit in limits.items()}
    lines = "".join(f"{merged[name]} {name}\n" for name in sorted(merged))
    try:
        replace_file(file, lines.encode())
    except (OSError, MaxAgentError):
        return  # the next run learns it again
