"""Options of `mcode chat`, in groups: the thread, the limits, the model and the agent."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...config import paths
from ...config.errors import UsageError
from ...config.plan_files import find_plan, read_plan_file
from ...config.text import text
from ..i18n.catalogs import t
from ..options import InputFormat
from ..rendering.listings.threads import SHORT_ID, open_index
from ..rendering.output import echo

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow
# The message that has a plan carried out
CARRY_OUT = "Carry out the plan in `{file}`:\n\n{plan}"

Message = Annotated[
    str, typer.Argument(help="Message; default: piped input, or start a conversation.")
]

Continue = Annotated[
    bool, typer.Option("--continue", "-c", help="Continue the folder's latest conversation.")
]
Resume = Annotated[
    str | None,
    typer.Option(
        "--resume", metavar="[ID|NAME]", help="Resume a conversation by ID or name; omit to choose."
    ),
]
Fork = Annotated[
    bool,
    typer.Option("--fork", help="Continue in a copy; the original conversation does not change."),
]
Name = Annotated[str, typer.Option("--name", help="Name of the conversation.")]
NoHistory = Annotated[
    bool, typer.Option("--no-history", help="Delete the conversation when it ends.")
]
NoTitle = Annotated[bool, typer.Option("--no-title", help="Do not generate a title.")]
Print = Annotated[
    bool, typer.Option("--print", "-p", help="Answer one message and exit; never open a prompt.")
]

Plan = Annotated[bool, typer.Option("--plan", help="Start in plan mode: write only the plan.")]
FromPlan = Annotated[
    str,
    typer.Option(
        "--from-plan", metavar="NAME|FILE", help="Carry out a plan in a new conversation."
    ),
]
Agent = Annotated[
    str, typer.Option("--agent", help="Agent to use; list them with `mcode agents list`.")
]

ShowThinking = Annotated[
    bool | None,
    typer.Option(
        "--show-thinking/--hide-thinking",
        help="Show the model's thinking; default: the setting `model.show_thinking`.",
        show_default=False,
    ),
]
Stream = Annotated[
    bool,
    typer.Option(
        "--stream/--no-stream", help="Show the answer while the model writes it (terminal only)."
    ),
]
Input = Annotated[
    InputFormat, typer.Option("--input", help="text, stream-json (one message per line on stdin).")
]
JsonSchema = Annotated[
    Path | None,
    typer.Option(
        "--json-schema", metavar="FILE", help="Answer with JSON that matches this schema."
    ),
]


def add_plan(
    folder: Path, name: str, message: str, options: Mapping[str, object]
) -> tuple[str, dict[str, object]]:
    """Return the message that has a plan carried out, and its options.

    Only what the user typed mentions files.
    """
    file = find_plan(folder, name)
    relative_path = os.path.relpath(file, folder)
    words = CARRY_OUT.format(file=relative_path, plan=read_plan_file(file))
    typed = options.get("mentioning", message)
    return "\n\n".join(filter(None, (words, message.strip()))), {**options, "mentioning": typed}


def select_place(
    folder: Path,
    options: Mapping[str, object],
    *,
    latest: bool,
    named: str | None,
    fork: bool,
    name: str,
) -> tuple[Path, Mapping[str, object], str]:
    """Return the folder, the options and the ID of the thread; an empty ID: a new thread."""
    row = select_thread(folder, latest=latest, named=named, fork=fork, name=name)
    return (Path(row.folder), options, row.thread_id) if row else (folder, options, "")


def select_thread(
    folder: Path, *, latest: bool, named: str | None, fork: bool, name: str
) -> "ThreadRow | None":
    """Return the thread; None for a new one. Raise UsageError if it does not exist.

    If `named` is empty, the user picks one; `name` is the thread's new name.
    """
    row = _find_existing(folder, latest=latest, named=named)
    if row is None:
        if fork:
            raise UsageError(
                "no conversation to fork given", hint="add `--continue` or `--resume ID`"
            )
        return None
    if fork:
        row = _fork_thread(row)
    if name:
        _rename_thread(row.thread_id, name, is_copy=fork)
    if fork:
        echo(t("chat.forked", thread=row.thread_id[:SHORT_ID]), err=True)
    return row


def _find_existing(folder: Path, *, latest: bool, named: str | None) -> "ThreadRow | None":
    from ..execution.thread_argument import find_latest_chat, pick_chat

    if latest and named is not None:
        raise UsageError("`--continue` and `--resume` cannot be used together", hint="choose one")
    if latest:
        return find_latest_chat(folder)
    if named is None:
        return None
    if not named:
        return pick_chat(folder)
    return _check_folder(open_index().find(named, folder), folder)


def _check_folder(row: "ThreadRow", folder: Path) -> "ThreadRow":
    """Return the thread; if `-C` names another folder than its own, ask whether it moves there."""
    from ..prompts.choice import confirm

    target = folder.resolve()
    if folder == Path(".") or not row.folder or str(target) == row.folder:
        return row
    if sys.stdin.isatty() and sys.stderr.isatty():
        question = t("chat.move", id=row.thread_id[:SHORT_ID], folder=row.folder, target=target)
        if confirm(question):
            from ...sdk.threads.relocation import move_thread
            from ..prompts.sync_bridge import run_sync

            return run_sync(move_thread(row, paths.locate_home(), target))
    raise UsageError(
        text(
            "thread `{id}` belongs to `{folder}`, not to `{target}`",
            id=row.thread_id[:SHORT_ID],
            folder=row.folder,
            target=target,
        ),
        hint=text("leave out `-C`, or run `mcode threads move {id} FOLDER`", id=row.thread_id[:8]),
    )


def _fork_thread(row: "ThreadRow") -> "ThreadRow":
    """Copy the conversation as it is now."""
    from ...sdk.threads.time_travel import copy_thread
    from ..prompts.sync_bridge import run_sync

    return run_sync(copy_thread(row, paths.locate_home()))


def _rename_thread(thread: str, name: str, *, is_copy: bool) -> None:
    """Rename the thread; delete a copy that cannot have the name."""
    index = open_index()
    try:
        index.rename(thread, name)
    except UsageError:
        if is_copy:
            index.delete(thread)
        raise


HINT = "give a file with a JSON schema"


def read_schema(file: Path) -> dict[str, Any]:
    """Return the schema in a file; raise UsageError if it cannot be read or used."""
    from ...models.structured_output import validate_schema

    try:
        value: object = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(
            text("`{file}` cannot be read: {reason}", file=file, reason=error.strerror),
            hint=HINT,
        ) from None
    except json.JSONDecodeError as error:
        place = text(
            "`{file}`, line {lineno}, column {colno}",
            file=file,
            lineno=error.lineno,
            colno=error.colno,
        )
        raise UsageError(text("{first}: {rest}", first=place, rest=error.msg), hint=HINT) from None
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise UsageError(text("`{file}` is not valid JSON", file=file), hint=HINT) from None
    return dict(validate_schema(value, f"`{file}`"))
