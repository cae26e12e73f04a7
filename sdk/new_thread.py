"""A new thread to start: its job, its request and options, validated and without secrets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..config.security.redaction import redact
from ..memory.threads.record import build_title
from ..nodes.options import Options
from .graph_registry import CHAT, EDIT, TASK, Job
from .run_request import build_chat_options, resolve_edit_files, validate_request


@dataclass(frozen=True)
class NewThread:
    """What a new thread begins with."""

    job: Job
    request: str
    root: Path
    options: Options
    title: str
    name: str = ""
    thread_id: str = ""
    """Empty: a new one is made up."""


def build_task(
    request: str, folder: Path | str, options: Options | None, title: str, thread_id: str
) -> NewThread:
    """Build a task; raises UsageError."""
    root, request = _clean(request, folder)
    named = build_title(title or request)
    return NewThread(TASK, request, root, options or Options(), named, thread_id=thread_id)


def build_edit(
    request: str, files: Sequence[str], folder: Path | str, options: Options | None, home: Path
) -> NewThread:
    """Build an edit of these files; raises UsageError."""
    root, request = _clean(request, folder)
    named = resolve_edit_files(files, root, home)
    wanted: Options = {**(options or {}), "files": named}
    title = build_title(f"{', '.join(named)}: {request.strip()}")
    return NewThread(EDIT, request, root, wanted, title)


def build_chat(
    message: str, folder: Path | str, options: Options | None, name: str, title: str, agent: str
) -> NewThread:
    """Build a conversation; raises UsageError."""
    root, message = _clean(message, folder)
    wanted: Options = {"agent": "build", **build_chat_options(options, agent)}
    return NewThread(CHAT, message, root, wanted, title or build_title(message), name)


def _clean(request: str, folder: Path | str) -> tuple[Path, str]:
    root, request = Path(os.path.realpath(folder)), redact(request)
    validate_request(request, root)
    return root, request
