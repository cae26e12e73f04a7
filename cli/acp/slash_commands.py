"""Commands that a client's user types as `/name`: ours, the project's own, and skills."""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...config.errors import UsageError
from ...config.text import text
from ...config.trust.decision import check_trust
from ..i18n.catalogs import t
from ..slash_names import BUILTIN_SLASH_NAMES
from .prompt_content import PromptContent
from .session import AcpSession

if TYPE_CHECKING:
    from ...config.agents.custom_commands import CustomCommand
    from ...sdk.events import Event

BUILT_IN = ("compact", "undo", "redo", "resume")


def list_commands(folder: str, home: Path, version: int) -> list[dict[str, Any]]:
    """Return all commands with their descriptions; blocks."""
    from ...config.skills.discovery import find_skills

    trust = check_trust(Path(folder), home)
    described = {name: t(f"acp.command.{name}") for name in BUILT_IN}
    custom = _load_custom(folder, home)
    described |= {name: command.description for name, command in custom.items()}
    for name, skill in find_skills(Path(folder), home, trust).skills.items():
        if skill.is_invocable and name not in described and name not in BUILTIN_SLASH_NAMES:
            described[name] = skill.summary
    kind = {} if version == 1 else {"type": "command"}
    return [
        {**kind, "name": name, "description": words or name} for name, words in described.items()
    ]


def _load_custom(folder: str, home: Path) -> "Mapping[str, CustomCommand]":
    """Load the commands that can be sent: their shell parts would need a terminal to ask in."""
    from ...config.agents.custom_commands import load_custom_commands

    commands = load_custom_commands(Path(folder), home, check_trust(Path(folder), home))
    return {
        name: command
        for name, command in commands.items()
        if not command.fault and name not in BUILTIN_SLASH_NAMES
    }


def is_command(session: AcpSession, prompt: PromptContent) -> bool:
    """Return whether a message is a command, which a running turn does not take; blocks."""
    name = prompt.words.removeprefix("/").partition(" ")[0]
    client = session.client
    listed = list_commands(session.folder, client.home, client.version)
    return prompt.words.startswith("/") and name in {command["name"] for command in listed}


async def run_command(session: AcpSession, prompt: PromptContent) -> "AsyncGenerator[Event] | str":
    """Return the events of a message, or of the command that it names; or what that has done."""
    name, _, arguments = prompt.words.removeprefix("/").partition(" ")
    if not prompt.words.startswith("/"):
        return await session.start_turn(prompt)
    match name:
        case "compact":
            runner = await session.client.open_runner()
            return runner.compact(_require_thread(session), arguments.strip())
        case "resume":
            _require_thread(session)
            return await session.continue_waiting()
        case "undo" | "redo":
            _require_thread(session)
            return await _restore_files(session, name)
        case _:
            return await session.start_turn(_expand(name, arguments, session, prompt))


def _require_thread(session: AcpSession) -> str:
    if not session.row:
        raise UsageError(t("slash.no_thread"), hint=t("slash.no_thread.hint"))
    return session.thread_id


def _expand(name: str, arguments: str, session: AcpSession, prompt: PromptContent) -> PromptContent:
    """Return the message of a custom command; any other text as it is, such as a path."""
    from ...config.agents.command_expansion import expand_prompt

    command = _load_custom(session.folder, session.client.home).get(name)
    if command is None:
        return prompt
    parts = expand_prompt(command.prompt, arguments)
    if any(piece.kind == "shell" for piece in parts):
        raise UsageError(
            text("`/{name}` runs commands, which needs a terminal", name=name),
            hint="use it in `mcode chat`",
        )
    mentions = " ".join(f'@"{piece.text}"' for piece in parts if piece.kind == "file")
    words = "".join(f'@"{piece.text}"' if piece.kind == "file" else piece.text for piece in parts)
    return PromptContent(words, mentions, prompt.aside)


async def _restore_files(session: AcpSession, kind: Literal["undo", "redo"]) -> str:
    """Undo the last turn's file changes, or redo them; return what was done."""
    from ...sdk.threads.file_history import open_leased_files

    assert session.row
    with open_leased_files(session.row, session.client.home) as files:
        await files.finish_interrupted()
        pending = await files.plan_restore(kind)
        if pending is None:
            return t(f"{kind}.nothing", thread=session.thread_id[:8])
        pending = await pending.resolve_doubtful(ours=False)
        result = await pending.apply()
    changed = [change.path for change in pending.plan.changes]
    skipped = [f"{conflict.path}: {conflict.reason}" for conflict in result.conflicts]
    done = t(f"acp.{kind}", files=", ".join(changed))
    return "\n".join([done, *(t("acp.skipped", what=row) for row in skipped)])
