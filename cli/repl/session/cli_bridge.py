"""Commands of the command line within a conversation: same text, questions and output."""

from collections.abc import Callable
from contextlib import chdir

import typer

from ....config.exit_codes import INTERRUPTED
from .session import Session


async def run_cli_command(session: Session, command: Callable[[], object]) -> None:
    """Run the command in the session's folder and in place of the prompt."""

    def run_in_folder() -> None:
        try:
            with chdir(session.folder):
                command()
        except typer.Exit as ended:
            if ended.exit_code == INTERRUPTED:
                raise

    if session.is_below_command:
        session.is_below_command = False
        session.show("")
    await session.ask_question(run_in_folder)
