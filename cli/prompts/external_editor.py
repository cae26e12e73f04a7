"""Let the human change a text in the editor of their choice."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from ...config.errors import UsageError

USUAL = "vi"


def edit_text(text: str, suffix: str) -> str:
    """The text as the human left it; raises UsageError where there is no editor to leave it in.

    `$VISUAL` and `$EDITOR` are command lines, as git reads them.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or USUAL
    try:
        with tempfile.TemporaryDirectory() as folder:  # for its owner alone
            file = Path(folder, f"edit{suffix}")
            file.write_bytes(text.encode())
            _run_editor(command, file)
            return file.read_bytes().decode(errors="replace")
    except OSError as error:
        raise UsageError(
            f"cannot exchange the text with the editor `{command}`: {error.strerror}",
            hint="make sure that the temporary folder has free space and that the editor saves",
        ) from error


def _run_editor(command: str, file: Path) -> None:
    try:
        done = subprocess.run([*shlex.split(command), str(file)], check=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the editor `{command}` cannot be started: {error}",
            hint="set another editor in $VISUAL or $EDITOR",
        ) from error
    if done.returncode:
        raise UsageError(f"the editor `{command}` ended with {done.returncode}")
