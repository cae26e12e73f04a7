"""One turn of a conversation that a command begins with words of its own."""

from pathlib import Path
from typing import TYPE_CHECKING

from .choices import AnswerStyle, OutputFormat
from .importing import without_collector
from .trust_question import settle_trust

if TYPE_CHECKING:
    from ..nodes.state import Options


def one_turn(
    message: str,
    options: "Options",
    *,
    model: str,
    base_url: str,
    folder: Path,
    trust: bool,
    output: OutputFormat,
) -> int:
    """Say it on a new thread and show the turn to its end; the exit code."""
    settle_trust(folder, yes=trust, output=output, tests=False)
    with without_collector():
        from .chat_run import ChatRun, run_chat
    if model:
        options = {**options, "model": model}
    if base_url:
        options = {**options, "base_url": base_url}
    run = ChatRun(folder, options, "", "", output, AnswerStyle.streamed, 0.0, keeps=True)
    return run_chat(run, message)
