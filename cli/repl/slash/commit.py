"""`/commit`: a commit of the thread's changes, or of all changes, after the user approves it."""

from functools import partial
from typing import TYPE_CHECKING

from ...i18n.catalogs import t
from ..session.session import Session
from .files import require_thread_id

if TYPE_CHECKING:
    from ....nodes.options import Options
    from ....sdk.pull_requests.user_commit import UserCommit

_ALL = "all"


async def commit_changes(session: Session, words: str) -> None:
    """Commit on the current branch; `all`: all changes, other words are for the message."""
    first, _, rest = words.partition(" ")
    takes_all = first == _ALL
    thread = "" if takes_all and not session.thread else require_thread_id(session)
    runner = await session.wait_for_runner()  # it has loaded the imports below
    from ....sdk.pull_requests.commit_message import write_commit_message
    from ....sdk.pull_requests.user_commit import plan_thread_commit, plan_whole_commit

    if takes_all:
        planned = await plan_whole_commit(session.folder.resolve(), session.home)
    else:
        planned = await plan_thread_commit(runner.threads.get(thread), session.home)
    session.show(t("commit.writing", count=len(planned.paths)), "dim")
    options: Options = {**session.thread_options, **session.options}
    deps = await runner.open_dependencies(str(session.folder.resolve()), options)
    wish = rest.strip() if takes_all else words
    message = await write_commit_message(deps.model, planned, wish)
    if message := await session.ask_question(partial(confirm_commit, planned, message)):
        commit_id = await planned.make(message)
        session.show(t("commit.done", commit=commit_id, subject=message.partition("\n")[0]))


def confirm_commit(planned: "UserCommit", message: str) -> str:
    """Show the commit and its message; return the message to commit with, empty: none."""
    from ...prompts.choice import ask_choice
    from ...prompts.choice_keys import Choice
    from ...prompts.external_editor import edit_text
    from ...rendering.approval_request import show_arguments, show_text
    from ...rendering.console import open_console, show_line

    console = open_console()
    show_arguments(console, {"name": "commit", "args": {}, "diff": planned.diff})
    for note in _describe_notes(planned):
        show_line(console, note, "yellow")
    while True:
        show_line(console, f"\n{t('commit.message')}", "bold")
        show_text(console, message)
        yes = Choice("yes", t("key.commit.yes"), needs_enter=True)
        if planned.secrets:  # another word, so that a habit does not commit them
            yes = Choice("secrets", t("key.commit.secrets"), needs_enter=True)
        edit, no = Choice("edit", t("key.commit.edit")), Choice("no", t("key.commit.no"))
        choices = [edit, yes, no] if planned.secrets else [yes, edit, no]
        match ask_choice(t("ask.commit"), choices).word:
            case "yes" | "secrets":
                return message
            case "edit":
                message = edit_text(message, ".gitcommit").strip() + "\n"
                if not message.strip():
                    return ""
            case _:
                return ""


def _describe_notes(planned: "UserCommit") -> list[str]:
    apart = [path for path in planned.mixed if path not in planned.whole]
    notes = {
        "apart": apart,
        "whole": planned.whole,
        "secrets": planned.secrets,
        "unsearched": planned.unsearched,
        "hooks": [hook.source for hook in planned.hooks],
    }
    return [
        t(f"commit.{name}", files=", ".join(places)) for name, places in notes.items() if places
    ]
