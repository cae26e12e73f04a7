"""Template of an agent file, with an explanation of every setting."""

import json
import os
from importlib import resources
from pathlib import Path

from ...config.agents.parser import check_name
from ...config.errors import UsageError
from ...config.text import text
from ...models.text_cleanup import repair_text

WHAT_FOR = "Say here in a sentence what it is for."


def write_new(folder: Path, name: str, description: str) -> Path:
    """Write the file of a new agent and return its path; raise UsageError if it exists."""
    check_name(name)
    file, content = (
        folder / f"{name}.md",
        _render_template(" ".join(description.split()) or WHAT_FOR),
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        _write_whole(handle, file, content)
    except FileExistsError as error:
        hint = "change it with your editor, or choose another name"
        raise UsageError(
            text("`{filename}` already exists", filename=error.filename), hint=hint
        ) from error
    except OSError as error:
        raise UsageError(
            text("`{file}` cannot be written: {reason}", file=file, reason=error.strerror)
        ) from error
    return file


def _write_whole(handle: int, file: Path, text: str) -> None:
    """Write the whole file or none: a partial agent file would block the next attempt."""
    try:
        with open(handle, "w", encoding="utf-8") as new:
            new.write(text)
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _render_template(description: str) -> str:
    example = resources.files(__package__ or "").joinpath("new_agent.md")
    # as in JSON, but without a character that YAML does not allow
    quoted = json.dumps(description, ensure_ascii=False).replace("\x7f", "\\u007f")
    if repair_text(description) != description:
        raise UsageError("the description is not UTF-8 text", hint="write it in UTF-8")
    return example.read_text(encoding="utf-8").replace("{description}", quoted)
