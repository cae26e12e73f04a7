"""Dispatch of a line: a message is sent, a command run, a note saved."""

from collections.abc import Callable

from ...config.errors import UsageError
from ...config.paths import locate_user_notes
from ...config.security.private_files import make_private_folder, open_private
from ...config.security.redaction import redact
from ..i18n.catalogs import t
from .prompt.agent_mentions import parse_agent_mention
from .prompt.input_line import InputLine, parse_line
from .session.session import Session
from .shell_escape import run_shell_line

NOTE_TEMPLATE = "The user notes: {note}"


async def dispatch_line(session: Session, typed: str, unfolded: Callable[[str], str]) -> None:
    """Run the line; raise ReplExit, or the error of what it runs.

    The line itself shows its kind; only then `unfolded` replaces the marks of pasted texts.
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
        from .slash.registry import run_slash_command  # imports every command

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


def keep_note(session: Session, text: str) -> None:
    """Append the note to `notes.md` beside the user's configuration."""
    note = redact(text).encode(errors="replace").decode()  # typed bytes may not be valid text
    file = locate_user_notes(session.home)
    make_private_folder(session.home)
    with open(file, "a", encoding="utf-8", opener=open_private) as notes:
        is_open = file.read_bytes()[-1:] not in (b"", b"\n")  # an editor may omit the newline
        notes.write("\n" * is_open + f"- {note}\n")
    session.side_context.append(NOTE_TEMPLATE.format(note=note))
    session.show(t("repl.noted", file=file), "dim")
