"""A conversation without a prompt: one message, or the lines of stdin, then the exit code."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ...nodes.options import Options
from ..i18n.catalogs import t
from ..options import AnswerStyle, OutputFormat
from ..rendering.output import echo
from ..rendering.thread_listing import SHORT_ID, open_index
from .chat_session import ChatSession
from .run import open_renderer, run_interactive
from .stream_json import run_stream_json

# Exit codes of a thread that a limit stopped, or that asks something
CAN_GO_ON = (3, 4)


@dataclass(frozen=True)
class ChatRun:
    """Whom one speaks with, and how it is shown."""

    folder: Path
    options: Mapping[str, object]
    """Those of the SDK."""
    thread: str
    """Id of the conversation; empty: the first message begins one."""
    name: str
    """For one that is begun."""
    output: OutputFormat
    answer: AnswerStyle
    seconds: float
    """How long it may take; 0: as long as it takes."""
    keeps: bool
    """Whether the conversation stays when it has ended."""
    title: str = ""
    """For one that is begun; empty: the beginning of the message."""


def run_chat(run: ChatRun, words: str | None) -> int:
    """Say the words, or without any what the lines of stdin say; the exit code."""
    open_index()  # tells of a damaged one
    renderer = open_renderer(run.output, run.answer)
    chat_session = ChatSession(
        run.folder, cast(Options, run.options), run.name, run.thread, title=run.title
    )
    code = 1
    try:
        if words is None:
            code = run_stream_json(chat_session, renderer, run.seconds)
        else:
            code = run_interactive(
                lambda dialogue: dialogue.send_message(chat_session, words),
                renderer,
                run.output,
                run.seconds,
            )
        return code
    finally:  # also where nobody reads stdout any more
        if chat_session.thread and not run.keeps:
            _delete_thread(chat_session.thread, code)


def _delete_thread(thread: str, code: int) -> None:
    """What can go on stays in spite of `--no-history`: else nobody could answer it."""
    if code not in CAN_GO_ON:
        open_index().delete(thread)
    key = "chat.kept" if code in CAN_GO_ON else "chat.deleted"
    echo(t(key, thread=thread[:SHORT_ID]), err=True)
