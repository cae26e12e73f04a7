"""Template of an agent file, with an explanation of every setting."""

import json
from importlib import resources
from pathlib import Path

from ...config.agents.parser import check_name
from ...config.errors import UsageError
from ...config.security.private_files import create_file
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
        create_file(file, content.encode(), 0o644)
    except FileExistsError as error:
        hint = "change it with your editor, or choose another name"
        raise UsageError(text("`{filename}` already exists", filename=file), hint=hint) from error
    except OSError as error:
        raise UsageError(
            text("`{file}` cannot be written: {reason}", file=file, reason=error.strerror)
        ) from error
    return file


def _render_template(description: str) -> str:
    example = resources.files(__package__ or "").joinpath("new_agent.md")
    # as in JSON, but without a character that YAML does not allow
    quoted = json.dumps(description, ensure_ascii=False).replace("\x7f", "\\u007f")
    if repair_text(description) != description:
        raise UsageError("the description is not UTF-8 text", hint="write it in UTF-8")
    return example.read_text(encoding="utf-8").replace("{description}", quoted)
