"""Events about several attempts at one task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class AttemptsCompared:
    """All attempts at the task have ended."""

    type: ClassVar[str] = "attempts"
    attempts: list[Mapping[str, Any]]
    """Each with `number`, `thread_id`, `model`, `outcome`, `kept`, `reason` (why it is kept, or why
    not), `lines` (of its change), `tests_changed`, and `passed` and `failed` where tests ran."""
