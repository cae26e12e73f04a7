"""Construction of the prompt: completion, history and status of one conversation."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from .input_loop import Conversation
from .prompt.agent_mentions import describe_agents
from .prompt.completer import LineCompleter
from .prompt.file_mentions import MentionableFiles
from .prompt.history import FolderHistory
from .prompt.layout import PromptState
from .prompt.live_prompt import LivePrompt
from .prompt.status_bar import Status, format_status, read_branch
from .session.session import Session

if TYPE_CHECKING:
    from ...sdk.events import TokenUsage

# agents that the mode already names
MODES = ("build", "plan")
Found = TypeVar("Found")
# Seconds after which the value is computed again
FRESH = 5.0


def build_prompt(conversation: Conversation, folder: Path, home: Path) -> LivePrompt:
    """Build the prompt of a conversation in this folder."""
    completer = LineCompleter(
        commands=TtlCache(lambda: _describe_commands(conversation.session)),
        agents=TtlCache(lambda: describe_agents(folder, home)),
        files=TtlCache(MentionableFiles(folder, home).list_files),
    )
    state = PromptState(
        waiting=lambda: conversation.inbox.waiting_lines,
        busy=lambda: conversation.busy_text,
        status=lambda columns: format_status(_build_status(conversation.session), columns),
        is_plan=lambda: conversation.session.plan,
    )
    return LivePrompt(
        conversation, conversation.pastes, state, completer, FolderHistory(home, folder)
    )


def _describe_commands(session: Session) -> Mapping[str, str]:
    from .slash.registry import describe_commands  # imports every command

    return describe_commands(session)


def _compute_context_share(usage: "TokenUsage | None") -> float | None:
    """Return the share of the context that the last request took; None if unknown."""
    is_known = usage and usage.window and usage.context_length
    return usage.window / usage.context_length if usage and is_known else None


def _build_status(session: Session) -> Status:
    usage = session.usage
    return Status(
        model=session.model,
        agent="" if session.agent in MODES else session.agent,
        plan=session.plan,
        mode=session.mode,
        thinking=session.thinking,
        effort=session.effort,
        sandbox=session.sandbox,
        used=_compute_context_share(usage),
        cost=usage.cost if usage else None,
        proposals=len(session.proposals),
        branch=read_branch(session.folder),
        jobs=session.count_jobs(),
    )


class TtlCache(Generic[Found]):
    """Caches a function's result for a short time."""

    def __init__(self, look: Callable[[], Found]) -> None:
        self._look = look
        self._found: tuple[float, Found] | None = None

    def __call__(self) -> Found:
        """Return the last result, or a new one."""
        if self._found is None or time.monotonic() - self._found[0] > FRESH:
            result = self._look()
            self._found = (time.monotonic(), result)
        return self._found[1]
