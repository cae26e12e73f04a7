"""A run that is ready to start: its input is valid and its thread exists."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..memory.threads.record import ThreadRow
from ..nodes.agent.context import Context
from .interrupt_response import Answer
from .run import UserMessage


@dataclass(frozen=True)
class PreparedRun:
    """Its thread, its context, and what the user sends."""

    row: ThreadRow
    context: Context
    notices: Sequence[str]
    answer: Answer | None = None
    message: UserMessage | None = None
    resumed: bool = True
    wait: bool = False
