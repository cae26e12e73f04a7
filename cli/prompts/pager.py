"""A long text in the user's pager."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from ...config.errors import UsageError
from ...config.text import text
from ..rendering.console import style_text
from ..rendering.sanitize import sanitize_text
from ..rendering.transcript import StyledLine
from ..terminal_options import build_program_environ

# It opens the text at its end, searches without regard to case, and passes colours on
USUAL = "less -R -i +G"


def page_lines(lines: Iterable[StyledLine]) -> None:
    """Show lines in `$PAGER`, a command line as in git; raise UsageError if there is none."""
    command = os.environ.get("PAGER") or USUAL
    try:
        with tempfile.TemporaryDirectory() as folder:  # only its owner can read it
            file = Path(folder, "transcript.txt")
            _write_lines(file, lines)
            _run_pager(command, file)
    except OSError as error:
        raise UsageError(
            text(
                "cannot hand the text to the pager `{command}`: {reason}",
                command=command,
                reason=error.strerror,
            ),
            hint="make sure that the temporary folder has free space",
        ) from error


def _write_lines(file: Path, lines: Iterable[StyledLine]) -> None:
    with file.open("w", encoding="utf-8", errors="replace") as opened:
        console = Console(file=opened, force_terminal=True, highlight=False, soft_wrap=True)
        for line, style in lines:
            if style:
                console.print(style_text(line, style))
            else:  # there may be a million of them, which Rich would take minutes for
                opened.write(f"{sanitize_text(line)}\n")


def _run_pager(command: str, file: Path) -> None:
    try:
        subprocess.run([*shlex.split(command), str(file)], check=False, env=build_program_environ())
    except (OSError, ValueError) as error:
        raise UsageError(
            text("the pager `{command}` cannot be started: {error}", command=command, error=error),
            hint="set another pager in $PAGER",
        ) from error
