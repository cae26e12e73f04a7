"""A conversation without a prompt: one message, or the lines of stdin, then the exit code."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ...config import exit_codes
from ...nodes.options import Options
from ..i18n.catalogs import t
from ..options import AnswerStyle, OutputFormat
from ..rendering.listings.threads import SHORT_ID, open_index
from ..rendering.output import echo
from .chat_session import ChatSession
from .run import open_renderer, run_interactive

# Exit codes of a thread that stopped at a limit or at a question
CAN_GO_ON = (3, 4)


@dataclass(frozen=True)
class ChatRun:
    """Settings of the conversation and of its output."""

    folder: Path
    options: Mapping[str, object]
    """Options of the SDK."""
    thread: str
    """Id of the conversation; empty: the first message creates one."""
    name: str
    """Name for a new conversation."""
    output: OutputFormat
    answer: AnswerStyle
    seconds: float
    """Time limit in seconds; 0: none."""
    keeps: bool
    """Whether the conversation is kept after it ends."""
    show_thinking: bool | None = None
    """None: as the configuration says."""
    title: str = ""
    """Title for a new conversation; empty: the beginning of the message."""


def run_chat(run: ChatRun, words: str | None) -> int:
    """Send the message, or the lines of stdin if there is none; return the exit code."""
    open_index()  # reports a damaged index
    renderer = open_renderer(run.output, run.answer, run.show_thinking)
    chat_session = ChatSession(
        run.folder, cast(Options, run.options), run.name, run.thread, title=run.title
    )
    code = exit_codes.FAILED
    try:
        if words is None:
            from .stream_json import run_stream_json  # builds its models

            code = run_stream_json(chat_session, renderer, run.seconds)
        else:
            code = run_interactive(
                lambda dialogue: dialogue.send_message(chat_session, words),
                renderer,
                run.output,
                run.seconds,
            )
        return code
    finally:  # also if the reader of stdout is gone
        if chat_session.thread and not run.keeps:
            _delete_thread(chat_session.thread, code)


def _delete_thread(thread: str, code: int) -> None:
    """Delete the thread for `--no-history`; keep one that can continue, to be answered."""
    if code not in CAN_GO_ON:
        open_index().delete(thread)
    key = "chat.kept" if code in CAN_GO_ON else "chat.deleted"
    echo(t(key, thread=thread[:SHORT_ID]), err=True)
