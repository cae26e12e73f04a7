"""What becomes of a line: a message is said, a command done, a note kept."""

from collections.abc import Callable

from ...config.crash_report import describe_error
from ...config.errors import UsageError
from ..commands.threads.listing import SHORT_ID
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from .memory_note import keep_note
from .prompt.agent_mentions import parse_agent_mention
from .prompt.input_line import InputLine, parse_line
from .prompt.protocol import PromptAborted
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


def show_error(session: Session, error: BaseException) -> None:
    """Say what went wrong, in two lines and once; a question that was left open is no error."""
    if isinstance(error, PromptAborted):
        session.show(str(error) or t("repl.unanswered"), "dim")
        return
    if not isinstance(error, Exception):
        raise error
    known = describe_error(error, session.home)
    if (
        known.message == session.last_error_message
    ):  # such as a missing key, for opening and message alike
        return
    session.last_error_message = known.message
    session.show(t("error.says", message=translate(known.message)), "bold red")
    if known.hint:
        session.show(t("error.hint", hint=_adapt_hint(session, translate(known.hint))), "yellow")


def _adapt_hint(session: Session, hint: str) -> str:
    """The hint with what the conversation has for the thread in the place of a shell's command."""
    thread = session.thread[:SHORT_ID]
    return hint.replace(f"mcode resume {thread}", f"/resume {thread}") if thread else hint
