"""Custom commands: prompts in Markdown files, called by name with arguments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ..errors import UsageError
from ..text import text
from ..trust.decision import Trust
from .definition_files import DefinitionFile, read_definition_files
from .front_matter import FrontMatter, split_front_matter
from .parser import FOREIGN_MODELS

KEYS = ("description", "argument-hint", "agent", "model")


@dataclass(frozen=True)
class CustomCommand:
    """One command."""

    name: str
    """`review`; in a sub-folder `git:review`."""
    file: Path
    prompt: str = ""
    """The prompt: the file's text below the front matter."""
    description: str = ""
    argument_hint: str = ""
    agent: str = ""
    """The agent that answers; empty: the current one."""
    model: str = ""
    """`PROVIDER/MODEL` for this one turn; empty: the thread's."""
    notes: tuple[str, ...] = ()
    """Parts of its file that have no effect here, as messages."""
    fault: str = ""
    """Why it cannot be used; mostly empty."""


def load_custom_commands(folder: Path, home: Path, trust: Trust) -> Mapping[str, CustomCommand]:
    """Return all commands by name, unusable ones too; a project's replaces the user's."""
    commands: dict[str, CustomCommand] = {}
    for file in read_definition_files("commands", folder, home, trust):
        command = _parse_command(file)
        if other := commands.get(command.name):
            note = text("replaces {file}", file=other.file)
            command = replace(command, notes=(*command.notes, note))
        commands[command.name] = command
    return dict(sorted(commands.items()))


def _parse_command(file: DefinitionFile) -> CustomCommand:
    try:
        if file.fault or not all(char.isprintable() and not char.isspace() for char in file.name):
            raise UsageError(
                file.fault or text("{path}: the name must not contain spaces", path=file.path)
            )
        parts = split_front_matter(file.path, file.text)
        if not parts.body.strip():
            raise UsageError(
                text("{path}: no message: write it below the second `---`", path=file.path)
            )
    except UsageError as error:
        return CustomCommand(file.name, file.path, fault=error.message)
    texts = {key: _to_single_line(parts.values.get(key)) for key in KEYS}
    return CustomCommand(
        name=file.name,
        file=file.path,
        prompt=parts.body.strip(),
        description=texts["description"] or _extract_first_line(parts.body),
        argument_hint=texts["argument-hint"],
        agent=texts["agent"],
        model="" if texts["model"] in FOREIGN_MODELS else texts["model"],
        notes=tuple(_collect_notes(parts, texts["model"])),
    )


def _to_single_line(value: object) -> str:
    """Return a value on one line; `[file]` in an argument hint is text, not a list."""
    if isinstance(value, list):
        return f"[{', '.join(map(str, cast('list[object]', value)))}]"
    return "" if value in (None, {}) else " ".join(str(value).split())


def _extract_first_line(body: str) -> str:
    return body.strip().partition("\n")[0].lstrip("# ").rstrip()


def _collect_notes(parts: FrontMatter, model: str) -> Iterator[str]:
    for key in parts.values:
        if key not in KEYS:
            yield text("`{key}` has no effect here", key=key)
    if model in FOREIGN_MODELS and model != "inherit":
        yield text("`{model}` is not PROVIDER/MODEL, so the thread's model is used", model=model)
