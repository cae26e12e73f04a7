"""A user's input to a run: validated, and without secrets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..config.errors import UsageError
from ..config.security.redaction import redact
from ..config.settings.loader import load_settings
from ..config.text import text
from ..memory.threads.record import ThreadRow, build_title
from ..memory.threads.thread_id import validate_thread_id
from ..nodes.options import Options, validate_options
from ..nodes.run.attempt import MAX_ATTEMPTS, MIN_ATTEMPTS
from ..nodes.run.modes import apply_choice
from ..tools.result import ToolError
from ..tools.workspace import Workspace
from .graph_registry import CHAT, EDIT, TASK, Job, find_job
from .tested_file import validate_tested_file

# Options that one kind of job alone knows
ONLY_FOR = {
    "best_of": TASK,
    "models": TASK,
    "plan": CHAT,
    "schema": CHAT,
}


def validate_request(request: str, folder: Path) -> None:
    """Raise UsageError for an empty request, or a text that no file can hold."""
    if not request.strip():
        raise UsageError("the request is empty", hint="describe the task")
    for source, content in (("the request", request), ("the folder's name", str(folder))):
        try:
            content.encode()
        except UnicodeEncodeError:
            raise UsageError(
                text("{source} is not valid UTF-8", source=source), hint="use UTF-8 text"
            ) from None


def validate_conversation(row: ThreadRow) -> None:
    """Raise UsageError for a thread that is no conversation, so that it takes no message."""
    if find_job(row.graph) is not CHAT:
        short_id = row.thread_id[:8]
        raise UsageError(
            text("thread `{thread_id}` is not a conversation", thread_id=short_id),
            hint=text("continue it with `mcode resume {thread_id}`", thread_id=short_id),
        )


def build_chat_options(options: Options | None, agent: str) -> Options:
    """Return the user's options for a conversation; secrets in side context are redacted."""
    validate_job_options(CHAT, options or {})
    chat_options = apply_choice(options or {}, agent)
    if "aside" in chat_options:
        chat_options["aside"] = [redact(text) for text in chat_options["aside"]]
    return chat_options


def validate_job_options(job: Job, options: Options) -> None:
    """Raise UsageError for an option that cannot be, or that would have no effect on the job."""
    validate_options(options)
    for name, value in options.items():
        if value and ONLY_FOR.get(name, job) is not job:
            raise UsageError(
                text("the option `{name}` has no effect here", name=name),
                hint=text("it is for `{job}`", job=ONLY_FOR[name].name),
            )
    if schema := options.get("schema"):
        from ..models.structured_output import validate_schema

        validate_schema(schema, "the option `schema`")


def list_attempt_options(options: Options) -> list[Options]:
    """Return the options of each named model of several attempts; empty for one attempt.

    Raises UsageError for a number of attempts that cannot be, and for attempts without tests.
    """
    count, models = options.get("best_of"), options.get("models", [])
    if count is None:
        if models:
            hint = "give the number of attempts: `--best-of 3`, or the option `best_of`"
            raise UsageError("models can be listed only for several attempts", hint=hint)
        return []
    if not MIN_ATTEMPTS <= count <= MAX_ATTEMPTS:
        raise UsageError(
            text("there cannot be {count} attempts", count=count),
            hint=text(
                "give a number from {fewest} to {most}", fewest=MIN_ATTEMPTS, most=MAX_ATTEMPTS
            ),
        )
    if options.get("skip_tests"):
        raise UsageError(
            "tests decide which attempt is kept, so they cannot be skipped",
            hint="leave out one of the options, `skip_tests` or `best_of`",
        )
    if len(models) > count:
        raise UsageError(
            text("there are {models} models for {count} attempts", models=len(models), count=count),
            hint="give at least as many attempts as models",
        )
    return [{**options, "model": model} for model in models]


def resolve_edit_files(files: Sequence[str], folder: Path, home: Path) -> list[str]:
    """Return the real files without duplicates, relative to the project; they need not exist.

    Raises UsageError for a path that is no file, is outside the project, or that no tool may touch.
    """
    ignored = load_settings(folder, home).settings.security.ignore_patterns
    workspace = Workspace(folder, tuple(ignored), home)
    return list(dict.fromkeys(_resolve_file(workspace, file) for file in files))


def _resolve_file(workspace: Workspace, file: str) -> str:
    try:
        real = workspace.resolve(file)
    except ToolError as refusal:
        hint = "file names are relative to the project folder: `--folder`, or the argument `folder`"
        raise UsageError(str(refusal), hint=hint) from refusal
    if real.is_dir() or file.endswith("/"):
        raise UsageError(text("`{file}` is a folder", file=file), hint="name a file in it")
    return workspace.to_relative(real)


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

    def __post_init__(self) -> None:
        validate_job_options(self.job, self.options)
        if self.thread_id:
            validate_thread_id(self.thread_id)


def build_task(
    request: str, folder: Path | str, options: Options | None, title: str, thread_id: str
) -> NewThread:
    """Build a task; raises UsageError."""
    root, request = _clean(request, folder)
    named = build_title(title or request)
    return NewThread(TASK, request, root, options or Options(), named, thread_id=thread_id)


def build_test_generation(
    file: str, message: str, folder: Path | str, options: Options | None, home: Path
) -> NewThread:
    """Build a task that writes tests for a file; raises UsageError."""
    (named,) = resolve_edit_files([file], Path(os.path.realpath(folder)), home)
    root, request = _clean(f"Write tests for `{named}`.\n\n{message}".strip(), folder)
    validate_tested_file(root, named)
    task_options: Options = {**(options or {}), "tests_for": named}
    return NewThread(TASK, request, root, task_options, build_title(request))


def build_edit(
    request: str, files: Sequence[str], folder: Path | str, options: Options | None, home: Path
) -> NewThread:
    """Build an edit of these files; raises UsageError."""
    root, request = _clean(request, folder)
    if not files:
        raise UsageError("no file given", hint="name the files to change in `files`")
    named = resolve_edit_files(files, root, home)
    edit_options: Options = {**(options or {}), "files": named}
    title = build_title(f"{', '.join(named)}: {request.strip()}")
    return NewThread(EDIT, request, root, edit_options, title)


def build_chat(
    message: str,
    folder: Path | str,
    options: Options | None,
    name: str,
    title: str,
    agent: str,
    thread_id: str = "",
) -> NewThread:
    """Build a conversation; raises UsageError."""
    root, message = _clean(message, folder)
    chat_options: Options = {"agent": "build", **build_chat_options(options, agent)}
    named = title or build_title(message)
    return NewThread(CHAT, message, root, chat_options, named, name, thread_id)


def _clean(request: str, folder: Path | str) -> tuple[Path, str]:
    root, request = Path(os.path.realpath(folder)), redact(request)
    validate_request(request, root)
    return root, request
