"""Dispatch of a line: a message is sent, a command run, a note saved."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...config import paths
from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..slash_names import is_departure, runs_at_once
from .prompt.agent_mentions import parse_agent_mention
from .prompt.input_line import InputLine, parse_line
from .session.line_buffer import LineBuffer
from .session.message import run_message
from .session.note import keep_note
from .session.session import Session, show_error

if TYPE_CHECKING:
    from ..execution.tool_session import ToolSession

MESSAGE_TEMPLATE = "The user ran `{command}`. {end}\n{output}"
SANDBOX_TEMPLATE = "The user ran `{command}` in the sandbox. {end}\n{output}"


async def run_shell_line(session: Session, command: str, *, in_sandbox: bool = False) -> None:
    """Run it, show its output, and pass that to the model with the next message.

    The user who types a command has agreed to it, so no rule or mode is asked: only what is never
    allowed is denied, since the model reads the output.
    """
    await session.wait_for_runner()  # it has loaded the imports below
    lines = LineBuffer(session)
    tools = await asyncio.to_thread(_open_tools, session, lines.add_text)
    reply = await tools.run_user_command(command, in_sandbox=in_sandbox)
    lines.flush()
    if reply.error:
        session.show(reply.error, "red")
    end = reply.error or "It ended with exit code 0."
    template = SANDBOX_TEMPLATE if in_sandbox else MESSAGE_TEMPLATE
    session.side_context.append(
        template.format(command=command, end=end, output=reply.output).rstrip()
    )


def _open_tools(session: Session, emit: Callable[[str], None]) -> "ToolSession":
    """Open the tools under the user's rules; inspects the folder, which may take long."""
    from ...config.settings.loader import load_settings
    from ..execution.tool_session import ToolSession

    loaded = load_settings(session.folder, session.home)
    outputs = paths.locate_outputs(session.home, "by-hand")
    return ToolSession(session.folder, loaded, outputs, emit=emit)


async def dispatch_line(session: Session, typed: str, unfolded: Callable[[str], str]) -> None:
    """Run the line; raise ReplExit, or the error of what it runs.

    The line itself shows its kind; only then `unfolded` replaces the marks of pasted texts.
    """
    line = parse_line(typed)
    if line.kind == "empty":
        return
    if line.kind in ("shell", "sandboxed") and unfolded(line.text) != line.text:
        raise UsageError(t("repl.folded"), hint=t("repl.folded.hint"))
    line = InputLine(line.kind, unfolded(line.text))
    if line.kind == "note" and "\n" in line.text:
        line = InputLine("message", f"# {line.text}")
    session.prompt.echo_line(typed.strip())
    session.is_unsent = line.kind == "message"
    session.is_below_command = not session.is_unsent
    if line.kind == "slash":
        from .slash.registry import run_slash_command  # imports every command

        await run_slash_command(session, line.text)
    elif line.kind in ("shell", "sandboxed"):
        await run_shell_line(session, line.text, in_sandbox=line.kind == "sandboxed")
    elif line.kind == "note" and line.text:
        await keep_note(session, line.text)
    elif line.kind == "note":
        session.show(t("repl.note.how"), "dim")
    else:
        agent, text = parse_agent_mention(line.text, session.folder, session.home)
        await run_message(session, text, agent)


def is_beside(typed: str) -> bool:
    """Return whether the line is a command that runs while a turn does."""
    line = parse_line(typed)
    return line.kind == "slash" and runs_at_once(line.text)


async def dispatch_beside(session: Session, typed: str, unfolded: Callable[[str], str]) -> None:
    """Run a command beside the turn, whose own state it leaves alone; show its error."""
    from .slash.registry import run_slash_command  # imports every command

    session.prompt.echo_line(typed.strip())
    try:
        await run_slash_command(session, unfolded(parse_line(typed).text))
    except Exception as error:
        session.last_error_message = ""
        show_error(session, error)


def blocks_steering(typed: str) -> bool:
    """Return whether messages behind this waiting line are not for the running turn."""
    line = parse_line(typed)
    return line.kind == "slash" and is_departure(line.text)


def read_steering(session: Session, typed: str, unfolded: Callable[[str], str]) -> str | None:
    """Return the message to the running turn that the line is; None: it waits for the turn's end.

    So does one to another agent, or for the mode that the user has switched to meanwhile.
    """
    line = parse_line(typed)
    plan = session.options.get("plan", session.thread_options.get("plan", False))
    if line.kind != "message" or plan != session.thread_options.get("plan", False):
        return None
    agent, text = parse_agent_mention(unfolded(line.text), session.folder, session.home)
    return None if agent else text
