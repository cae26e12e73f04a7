"""Editing of a text in the user's editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from ...config.errors import UsageError
from ...config.text import text
from ..terminal_options import build_program_environ

USUAL = "vi"


def edit_text(content: str, suffix: str) -> str:
    """Return the text as the user saved it; raise UsageError if there is no editor.

    `$VISUAL` and `$EDITOR` are command lines, as in git.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or USUAL
    try:
        with tempfile.TemporaryDirectory() as folder:  # only its owner can read it
            file = Path(folder, f"edit{suffix}")
            file.write_bytes(content.encode())
            _run_editor(command, file)
            return file.read_bytes().decode(errors="replace")
    except OSError as error:
        raise UsageError(
            text(
                "cannot exchange the text with the editor `{command}`: {reason}",
                command=command,
                reason=error.strerror,
            ),
            hint="make sure that the temporary folder has free space and that the editor saves",
        ) from error


def _run_editor(command: str, file: Path) -> None:
    try:
        program = [*shlex.split(command), str(file)]
        done = subprocess.run(program, check=False, env=build_program_environ())
    except (OSError, ValueError) as error:
        raise UsageError(
            text("the editor `{command}` cannot be started: {error}", command=command, error=error),
            hint="set another editor in $VISUAL or $EDITOR",
        ) from error
    if done.returncode:
        raise UsageError(
            text(
                "the editor `{command}` ended with {returncode}",
                command=command,
                returncode=done.returncode,
            )
        )
