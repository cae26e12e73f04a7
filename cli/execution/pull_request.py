"""The pull request of a conversation: checked at its start, opened at its end."""

import asyncio
from pathlib import Path

from ...config import paths
from ..options import AnswerStyle, OutputFormat


def check_pull_request(folder: Path) -> None:
    """Raise UsageError if no pull request can be opened from that folder."""
    from ...sdk.pull_requests.publication import check_publication

    asyncio.run(check_publication(folder.resolve(), paths.locate_home()))


def open_pull_request(thread: str, answer: str) -> int:
    """Open the pull request of a conversation, `ask` first or `yes`; return the exit code."""
    from ...sdk.pull_requests.request import request_pull_request
    from .run import run_in_terminal

    return run_in_terminal(
        lambda runner: request_pull_request(runner, thread, answer),
        OutputFormat.text,
        AnswerStyle.streamed,
    )
