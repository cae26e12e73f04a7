"""What becomes of a line: a message is said, a command done, a note kept."""

from collections.abc import Callable

from ...config.crash_report import in_words
from ...config.errors import UsageError
from ..commands.threads.listing import SHORT_ID
from ..i18n.catalogs import t
from ..i18n.message_translation import told
from .memory_note import keep_note
from .prompt.agent_mentions import addressed
from .prompt.input_line import Line, read_line
from .prompt.protocol import Unanswered
from .session.session import Session
from .shell_escape import run_shell_line


async def do_line(session: Session, typed: str, unfolded: Callable[[str], str]) -> None:
    """Do what the line says; raises LeaveRepl, or what went wrong.

    What it is can be seen in the line itself; then pasted texts are `unfolded` in it.
    """
    line = read_line(typed)
    if line.kind == "empty":
        return
    if line.kind == "shell" and unfolded(line.text) != line.text:
        raise UsageError(t("repl.folded"), hint=t("repl.folded.hint"))
    line = Line(line.kind, unfolded(line.text))
    if line.kind == "note" and "\n" in line.text:
        line = Line("message", f"# {line.text}")
    session.prompt.sent(typed.strip())
    session.sending = line.kind == "message"
    if line.kind == "slash":
        from .slash.registry import obey  # brings every command

        await obey(session, line.text)
    elif line.kind == "shell":
        await run_shell_line(session, line.text)
    elif line.kind == "note" and line.text:
        keep_note(session, line.text)
    elif line.kind == "note":
        session.show(t("repl.note.how"), "dim")
    else:
        agent, text = addressed(line.text, session.folder, session.home)
        await session.say(text, agent)


def tell_of(session: Session, error: BaseException) -> None:
    """Say what went wrong, in two lines and once; a question that was left open is no error."""
    if isinstance(error, Unanswered):
        session.show(str(error) or t("repl.unanswered"), "dim")
        return
    if not isinstance(error, Exception):
        raise error
    known = in_words(error, session.home)
    if known.message == session.complaint:  # such as a missing key, for opening and message alike
        return
    session.complaint = known.message
    session.show(t("error.says", message=told(known.message)), "bold red")
    if known.hint:
        session.show(t("error.hint", hint=_here(session, told(known.hint))), "yellow")


def _here(session: Session, hint: str) -> str:
    """The hint with what the conversation has for the thread in the place of a shell's command."""
    thread = session.thread[:SHORT_ID]
    return hint.replace(f"mcode resume {thread}", f"/resume {thread}") if thread else hint
