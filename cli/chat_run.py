"""A conversation without a prompt: one message, or the lines of stdin, then the exit code."""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ..config.errors import UnfinishedTurn
from ..nodes.state import Options
from .choices import AnswerStyle, OutputFormat
from .drive import drive_to_end, open_renderer
from .echo import echo
from .i18n import t
from .message_stream import converse
from .question import abandons
from .render import Renderer
from .speaker import Speaker
from .threads import SHORT_ID, open_index
from .told import told

CAN_GO_ON = (3, 4)
"""Exit codes of a thread that a limit stopped, or that asks something."""


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


def run_chat(run: ChatRun, words: str | None) -> int:
    """Say the words, or without any what the lines of stdin say; the exit code."""
    open_index()  # tells of a damaged one
    renderer = open_renderer(run.output, run.answer)
    speaker = Speaker(run.folder, cast(Options, run.options), run.name, run.thread)
    code = 1
    try:
        if words is None:
            code = asyncio.run(converse(speaker, renderer, run.seconds))
        else:
            code = _say(run, speaker, renderer, words)
        return code
    finally:  # also where nobody reads stdout any more
        if speaker.thread and not run.keeps:
            _forget(speaker.thread, code)


def _say(
    run: ChatRun, speaker: Speaker, renderer: Renderer, words: str, *, abandon: bool = False
) -> int:
    """In a thread that was left half-way the human says first what becomes of that."""
    rest = (renderer, run.output, run.seconds)
    try:
        return drive_to_end(lambda runner: speaker.say(runner, words, abandon=abandon), *rest)
    except UnfinishedTurn as unfinished:
        if run.output is not OutputFormat.text or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        echo(told(unfinished.message), err=True)
    abandon = abandons()
    if not abandon:
        code = drive_to_end(lambda runner: runner.resume(speaker.thread), *rest)
        if code:
            return code
    return _say(run, speaker, renderer, words, abandon=abandon)


def _forget(thread: str, code: int) -> None:
    """What can go on stays in spite of `--no-history`: else nobody could answer it."""
    if code not in CAN_GO_ON:
        open_index().delete(thread)
    key = "chat.kept" if code in CAN_GO_ON else "chat.deleted"
    echo(t(key, thread=thread[:SHORT_ID]), err=True)
