"""One turn of a new conversation, with a message that a command builds."""

from collections.abc import Mapping
from pathlib import Path

from ..lazy_imports import without_collector
from ..options import AnswerStyle, OutputFormat
from ..prompts.memory_claim import settle_memory
from ..prompts.trust import settle_trust


def run_single_turn(
    message: str,
    options: Mapping[str, str],
    *,
    folder: Path,
    trust: bool,
    output: OutputFormat,
    mentioning: str | None = None,
    title: str = "",
    seconds: float = 0.0,
) -> int:
    """Send the message on a new thread, show the turn to its end and return the exit code.

    An empty option was not chosen; `mentioning` is the part of the message that can mention files,
    None: all of it; `title` is the thread's, empty: the beginning of the message. `seconds` is the
    time limit; 0: none.
    """
    settle_trust(folder, yes=trust, output=output, tests=False)
    settle_memory(folder, output=output)
    with without_collector():
        from .print_mode import ChatRun, run_chat
    chosen = {name: value for name, value in options.items() if value}
    if mentioning is not None:
        chosen["mentioning"] = mentioning
    style = AnswerStyle.streamed
    run = ChatRun(folder, chosen, "", "", output, style, seconds, keeps=True, title=title)
    return run_chat(run, message)
