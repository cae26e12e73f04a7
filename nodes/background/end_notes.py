"""Notes to a role about background commands: those that have ended, that are gone, that run."""

from collections.abc import Mapping

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...tools.builtin.shell.command_output import describe_state
from ...tools.process.background_commands import BackgroundCommands
from ..events.progress import Notice
from ..roles import RoleName
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.modes import build_note
from ..state import State
from .command_record import JournalRecord, open_background

# The mark of a note in `additional_kwargs`: IDs of the commands whose end it reports
ENDED = "background_ended"
GONE = (
    "These background commands do not run any more, since MaxAgent was ended meanwhile: {names}. "
    "Start again what you still need."
)
HAS_ENDED = "A background command has ended: {names}. command_output has its last output."
GONE_NOTICE = "background commands ended with the previous run: {names}"


def describe_running(runtime: Runtime[Context]) -> str:
    """Describe the thread's running commands, for a model that no longer sees their start."""
    commands = runtime.context.pool.background.open(get_thread_id(runtime))
    names = _join_names({run.id: f"`{run.command}`" for run in commands.running})
    return f"Running in the background: {names}" if names else ""


async def build_end_notes(
    state: State, runtime: Runtime[Context], role: RoleName, deps: Dependencies
) -> list[HumanMessage]:
    """Return the notes; usually none.

    A command counts as reported once a note about it is in the thread, so that neither a kill nor a
    failed request loses one.
    """
    if role == "agent":  # its parent is told
        return []
    commands = open_background(deps, runtime)
    record = JournalRecord(deps.journal, get_thread_id(runtime))
    unknown = await record.load_open()
    missing_commands = {key: line for key, line in unknown.items() if commands.find(key) is None}
    ended = _describe_ended(commands)
    if not missing_commands and not ended:
        return []
    if reported := [key for key in (*missing_commands, *ended) if key in _collect_reported(state)]:
        await _settle(reported, commands, record)
    missing_commands = {key: line for key, line in missing_commands.items() if key not in reported}
    ended = {key: line for key, line in ended.items() if key not in reported}
    notes = list[HumanMessage]()
    if missing_commands:
        names = _join_names({key: f"`{line}`" for key, line in missing_commands.items()})
        emit(runtime, Notice(text(GONE_NOTICE, names=names)))
        notes.append(_build_end_note(role, GONE.format(names=names), missing_commands))
    if ended:
        notes.append(_build_end_note(role, HAS_ENDED.format(names=_join_names(ended)), ended))
    return notes


def _describe_ended(commands: BackgroundCommands) -> dict[str, str]:
    return {
        command.id: f"`{command.command}`: {describe_state(command)}"
        for command in commands.all
        if not command.is_running and not command.is_known_ended
    }


def _collect_reported(state: State) -> set[str]:
    return {
        key
        for message in state.get("messages", [])
        for key in message.additional_kwargs.get(ENDED, ())
    }


async def _settle(reported: list[str], commands: BackgroundCommands, record: JournalRecord) -> None:
    for key in reported:
        if command := commands.find(key):
            command.is_known_ended = True
    await record.finish_ids(reported)


def _join_names(lines: Mapping[str, str]) -> str:
    return "; ".join(f"{key} ({line})" for key, line in lines.items())


def _build_end_note(role: RoleName, words: str, ids: Mapping[str, str]) -> HumanMessage:
    note = build_note(role, words)
    note.additional_kwargs[ENDED] = list(ids)
    return note
