"""List of a folder's project files, for the user who decides whether to trust it."""

import json
from collections.abc import Iterator, Sequence
from difflib import ndiff
from itertools import groupby
from pathlib import Path
from typing import cast

from ....config import paths
from ....config.errors import UsageError
from ....config.security.redaction import redact
from ....config.settings.keys import FAR_REACHING, hide_secrets, iter_leaves, join_key
from ....config.trust.decision import Trust
from ....config.trust.inventory import InventoryItem
from ....config.trust.program_item import ProgramItem, ProgramKind
from ....config.trust.referenced_instructions import find_project_start
from ....config.trust.trusted_reader import read_listed
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ..definition_list import get_terminal_width
from ..line_breaks import split_rows
from ..sanitize import escape_hidden, sanitize_line

MAX_OF_A_KIND = 40
MAX_CHANGES = 10
MAX_VALUE_LENGTH = 4_000
# How keys begin whose effect is told in words, and the words' key
EFFECTS = {
    "security.command_whitelist": "unasked",
    "permissions.allow": "allow",
    "permissions.ask": "ask",
    "permissions.deny": "deny",
    "task.test_command": "tests",
    "after_edit": "after_edit",
    "litellm.base_url": "endpoint",
    "environment.include": "variables",
}

MAX_PROGRAMS = 60
# Most characters of one program's command or value
MAX_LENGTH = 2_000
# Most lines of a difference; most lines that are compared
MAX_LINES, MAX_COMPARED = 20, 400


def format_inventory(trust: Trust, *, tests: bool) -> Iterator[str]:
    """Yield the files by kind; `tests`: whether the project's tests will be run."""
    for kind, files in groupby(trust.inventory, lambda item: item.kind):
        every = [_format_name(item.path, item.problem) for item in files if _is_loaded(item, trust)]
        if every:
            yield f"  {t(f'trust.{kind}')}"
        yield from _format_names(every)
        if kind == "configuration":
            yield from (f"      {line}" for line in _format_settings(trust))
        if kind == "mcp":
            yield from format_servers(trust)
    yield from format_programs(trust)
    if trust.further:
        yield f"  {t('trust.further')}"
        yield from _format_names([sanitize_line(path) for path in trust.further])
    if tests:
        yield f"  {t('trust.tests')}"
    for change in trust.changed:
        yield f"  {t('trust.changed', change=sanitize_line(translate(change)))}"
        yield from format_difference(*trust.differences.get(change, ("", "")))
    if trust.damaged:
        yield f"  {sanitize_line(translate(trust.damaged))}"


def describe_trust_state(changed: Sequence[str]) -> str:
    """Describe a trusted folder; `changed` are further instruction files that differ."""
    if not changed:
        return t("trust.state.trusted")
    changes = [sanitize_line(translate(change)) for change in changed[:MAX_CHANGES]]
    more = [t("trust.more", count=count)] if (count := len(changed) - MAX_CHANGES) > 0 else []
    return t("trust.state.partly", changes=", ".join([*changes, *more]))


def _is_loaded(item: InventoryItem, trust: Trust) -> bool:
    """Return whether it would be loaded: of the folder's own instruction files only one is."""
    if item.kind != "instructions" or item.problem:
        return True
    own = [other.path for other in trust.inventory if other.kind == "instructions"]
    return item.path == find_project_start(Path(trust.folder), own)


def _format_names(names: list[str]) -> Iterator[str]:
    yield from (f"    {line}" for line in names[:MAX_OF_A_KIND])
    if more := names[MAX_OF_A_KIND:]:
        yield f"    {t('trust.more', count=len(more))}"


def _format_name(path: str, odd: str) -> str:
    return sanitize_line(t("labelled", label=path, said=translate(odd)) if odd else path)


def _format_settings(trust: Trust) -> Iterator[str]:
    """Yield the settings of the project's file: endpoints, permissions and commands with values."""
    try:
        document = read_listed(paths.locate_project_config(Path(trust.folder)), trust)
    except UsageError as error:
        yield sanitize_line(translate(error.message))
        return
    values = dict(iter_leaves(hide_secrets(document.values))) if document else {}
    keys = {join_key(path): value for path, value in values.items()}
    plain = [key for key in keys if not key.startswith(FAR_REACHING)]
    if plain:
        yield sanitize_line(t("trust.sets", keys=", ".join(plain)))
    for key in (key for key in keys if key.startswith(FAR_REACHING)):
        value = _format_value(keys[key])
        cut = value[:MAX_VALUE_LENGTH] + "…" * (len(value) > MAX_VALUE_LENGTH)
        effect = next((EFFECTS[each] for each in EFFECTS if key.startswith(each)), "other")
        yield sanitize_line(t(f"trust.reaches.{effect}", key=key, value=cut))


def _format_value(value: object) -> str:
    """Return a text, or texts in a list, in backticks; anything else as JSON."""
    entries = cast("list[object]", value) if isinstance(value, list) else [value]
    quoted = [f"`{each}`" for each in entries if isinstance(each, str) and each and "`" not in each]
    if quoted and len(quoted) == len(entries):
        return ", ".join(quoted)
    return json.dumps(value, ensure_ascii=False, default=str)


def format_servers(trust: Trust) -> Iterator[str]:
    """Yield each MCP server with its command or URL, and its variables by name."""
    yield from _format_items(trust, "server", "      ")


def format_programs(trust: Trust) -> Iterator[str]:
    """Yield git's settings and hooks that start programs, and the scripts that are run."""
    kinds: tuple[ProgramKind, ...] = ("git", "hook", "script")
    for kind in kinds:
        if any(item.kind == kind for item in trust.programs):
            yield f"  {t(f'trust.programs.{kind}')}"
            yield from _format_items(trust, kind, "    ")


def format_difference(was: str | None, now: str) -> Iterator[str]:
    """Yield the lines that were and are; empty if they are equal, a note if what was is unknown."""
    if was is None:
        yield f"      {t('trust.difference.unknown')}"
    if was is None or was == now:
        return
    old, new = (redact(text).splitlines()[:MAX_COMPARED] for text in (was, now))
    lines = [line for line in ndiff(old, new) if line.startswith(("- ", "+ "))]
    for line in lines[:MAX_LINES]:
        yield from _wrap(sanitize_line(escape_hidden(line)), "      ")
    if (more := len(lines) - MAX_LINES) > 0:
        yield f"      {t('trust.more', count=more)}"


def _format_items(trust: Trust, kind: ProgramKind, indent: str) -> Iterator[str]:
    items = [item for item in trust.programs if item.kind == kind]
    for item in items[:MAX_PROGRAMS]:
        yield from _wrap(sanitize_line(escape_hidden(_describe(item))), indent)
    if (more := len(items) - MAX_PROGRAMS) > 0:
        yield f"{indent}{t('trust.more', count=more)}"


def _describe(item: ProgramItem) -> str:
    if item.problem:
        return t("labelled", label=item.name or item.path, said=translate(item.problem))
    if item.kind == "git":
        value = _shorten(item.shown)
        return t("trust.programs.setting", name=item.name, value=value, file=item.path)
    if item.kind == "server":
        return t("labelled", label=item.name, said=_shorten(item.shown))
    if item.kind == "script":
        return t("trust.programs.named", name=item.name, file=item.path)
    return item.name


def _shorten(value: str) -> str:
    return value[:MAX_LENGTH] + "…" * (len(value) > MAX_LENGTH)


def _wrap(line: str, indent: str) -> Iterator[str]:
    """Yield rows with their indentation; a row that goes on is indented further."""
    first, *rest = split_rows(line, max(get_terminal_width() - len(indent) - 2, 20))
    yield f"{indent}{first}"
    yield from (f"{indent}  {row}" for row in rest)
