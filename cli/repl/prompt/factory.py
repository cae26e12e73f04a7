"""The prompt of a conversation: what it offers, remembers and says around the line."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..input_loop import Conversation
from ..session.session import Session
from .agent_mentions import agents_by_name
from .completer import LineCompleter
from .file_mentions import ProjectFiles
from .git_branch import git_branch
from .history import FolderHistory
from .layout import Shown
from .live_prompt import LivePrompt
from .status_bar import Status, status_line
from .ttl_cache import Remembered

if TYPE_CHECKING:
    from ....sdk.events import TokenUsage

MODES = ("build", "plan")
"""Agents that are named by the mode already."""


def session_prompt(talk: Conversation, folder: Path, home: Path) -> LivePrompt:
    """The prompt for the conversation's session in this folder."""
    completer = LineCompleter(
        commands=Remembered(lambda: _commands(talk.session)),
        agents=Remembered(lambda: agents_by_name(folder, home)),
        files=Remembered(ProjectFiles(folder, home).list),
    )
    shown = Shown(
        waiting=lambda: talk.inbox.waiting,
        busy=lambda: talk.busy,
        status=lambda columns: status_line(_status(talk.session), columns),
        is_plan=lambda: talk.session.plan,
    )
    return LivePrompt(talk, talk.pastes, shown, completer, FolderHistory(home, folder))


def _commands(session: Session) -> Mapping[str, str]:
    from ..slash.registry import described  # brings every command

    return described(session)


def _share(usage: "TokenUsage | None") -> float | None:
    """Of the model's context that the last request took, where that is known."""
    known = usage and usage.window and usage.context_length
    return usage.window / usage.context_length if usage and known else None


def _status(session: Session) -> Status:
    usage = session.usage
    return Status(
        model=session.model,
        agent="" if session.agent in MODES else session.agent,
        plan=session.plan,
        mode=session.mode,
        sandbox=session.sandbox,
        used=_share(usage),
        cost=usage.cost if usage else None,
        branch=git_branch(session.folder),
    )
