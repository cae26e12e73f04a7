"""Dispatch of a line: a message is sent, a command run, a note saved."""

from collections.abc import Callable

from ...config.errors import UsageError
from ..i18n.catalogs import t
from .prompt.agent_mentions import parse_agent_mention
from .prompt.input_line import InputLine, parse_line
from .session.note import keep_note
from .session.session import Session
from .shell_escape import run_shell_line


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
        await session.run_message(text, agent)


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
