"""What becomes of a line: a message is said, a command done, a note kept."""

from collections.abc import Callable

from ...config.errors import UsageError
from ..i18n.catalogs import t
from .memory_note import keep_note
from .prompt.agent_mentions import parse_agent_mention
from .prompt.input_line import InputLine, parse_line
from .session.session import Session
from .shell_escape import run_shell_line


async def dispatch_line(session: Session, typed: str, unfolded: Callable[[str], str]) -> None:
    """Do what the line says; raises ReplExit, or what went wrong.

    What it is can be seen in the line itself; then pasted texts are `unfolded` in it.
    """
    line = parse_line(typed)
    if line.kind == "empty":
        return
    if line.kind == "shell" and unfolded(line.text) != line.text:
        raise UsageError(t("repl.folded"), hint=t("repl.folded.hint"))
    line = InputLine(line.kind, unfolded(line.text))
    if line.kind == "note" and "\n" in line.text:
        line = InputLine("message", f"# {line.text}")
    session.prompt.echo_line(typed.strip())
    session.is_unsent = line.kind == "message"
    if line.kind == "slash":
        from .slash.registry import run_slash_command  # brings every command

        await run_slash_command(session, line.text)
    elif line.kind == "shell":
        await run_shell_line(session, line.text)
    elif line.kind == "note" and line.text:
        keep_note(session, line.text)
    elif line.kind == "note":
        session.show(t("repl.note.how"), "dim")
    else:
        agent, text = parse_agent_mention(line.text, session.folder, session.home)
        await session.run_message(text, agent)
