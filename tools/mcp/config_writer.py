"""Changes of one server in a file of servers; all else in the file stays."""

import json
import os
import stat
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import cast

from ...config.errors import UsageError
from ...config.security.private_files import lock_folder, replace_file
from ...config.text import text
from ...config.yaml.reader import read_bytes
from .config_files import find_sections, parse_content
from .server_parser import DEFINING_KEYS, SWITCHES

# A definition as JSON; a change of it returns None to remove it
Definition = Mapping[str, object]
Change = Callable[[Definition | None], Definition | None]

# Where another program may not expect `servers`
PROJECT_SHAPE, USER_SHAPE = "mcpServers", "servers"


def add_server(
    file: Path, name: str, definition: Definition, *, replace: bool, project: Path | None = None
) -> None:
    """Write a server into the file, which is created if missing.

    `project` is the folder of a project's file. A replaced server keeps the keys that do not say
    how to reach it. Raises UsageError for a taken name without `replace`.
    """

    def change(old: Definition | None) -> Definition:
        if old is not None and not replace:
            raise UsageError(
                text("`{name}` is already a server in `{file}`", name=name, file=file),
                hint="choose another name, or replace it with `--force`",
            )
        other_values = {
            key: value
            for key, value in (old or {}).items()
            if key not in DEFINING_KEYS | SWITCHES.keys() | {"environment"}
        }
        return {**definition, **other_values}

    _change_server(file, name, change, project)


def enable_server(file: Path, name: str, *, enabled: bool, project: Path | None = None) -> None:
    """Write whether the server is used; raises UsageError if the file does not define it."""

    def change(old: Definition | None) -> Definition:
        other_values = {
            key: value for key, value in _require(old, file, name).items() if key not in SWITCHES
        }
        return {**other_values, "enabled": enabled}

    _change_server(file, name, change, project)


def remove_server(file: Path, name: str, *, project: Path | None = None) -> None:
    """Remove the server; raises UsageError if the file does not define it."""

    def change(old: Definition | None) -> None:
        _require(old, file, name)

    _change_server(file, name, change, project)


def _require(definition: Definition | None, file: Path, name: str) -> Definition:
    if definition is None:
        raise UsageError(text("`{file}` has no server `{name}`", file=file, name=name))
    return definition


def suggest_names(name: str, names: list[str]) -> str:
    """Return a hint for a name that no server has."""
    close = get_close_matches(name, names, n=3)
    if not close:
        return "`mcode mcp list --no-test` shows all servers"
    return text("did you mean {names}?", names=", ".join(f"`{candidate}`" for candidate in close))


def _change_server(file: Path, name: str, change: Change, project: Path | None) -> None:
    # a linked file stays a link, but one of a project never leads out of it
    real = Path(os.path.realpath(file))
    if project and not real.is_relative_to(os.path.realpath(project)):
        raise UsageError(
            text("`{place}` is a link to outside the folder, so nothing is written there",
                 place=file),
            hint=text("check `{place}`, and remove the link if it is not yours", place=file),
        )  # fmt: skip
    try:
        with lock_folder(real.parent):
            _write_change(real, name, change, project)
    except OSError as error:
        raise UsageError(
            text("`{file}` cannot be written: {reason}", file=file, reason=error.strerror)
        ) from error


def _write_change(file: Path, name: str, change: Change, project: Path | None) -> None:
    content = read_bytes(file)
    try:
        document, is_strict = parse_content(content or b"")
        sections = find_sections(document)
    except UsageError as error:
        message = text("`{file}` cannot be used: {problem}", file=file, problem=error.message)
        raise UsageError(message, hint=text("correct `{file}` by hand", file=file)) from error
    shape = next((shape for shape, entries in sections.items() if name in entries), None)
    new = change(_read_definition(sections[shape], name) if shape else None)
    if not is_strict:
        raise UsageError(
            text("`{file}` has comments, which would be lost", file=file),
            hint=text("change `{name}` there by hand", name=name),
        )
    shape = shape or next(iter(sections), PROJECT_SHAPE if project else USER_SHAPE)
    entries = dict(sections.get(shape, {}))
    if new is None:
        del entries[name]
    else:
        entries[name] = new
    written = json.dumps({**document, shape: entries}, indent=2, ensure_ascii=False)
    replace_file(file, f"{written}\n".encode(), _choose_mode(file, project))


def _read_definition(entries: Mapping[str, object], name: str) -> Definition:
    """Return the definition; nothing of a wrong one can be kept."""
    entry = entries[name]
    return cast("Definition", entry) if isinstance(entry, dict) else {}


def _choose_mode(file: Path, project: Path | None) -> int:
    """A user's file may have secrets; a project's is read by all who work on it."""
    if not project:
        return 0o600
    return stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o644
