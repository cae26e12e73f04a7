"""List of the programs that a trusted folder starts, and of what has changed in them."""

from collections.abc import Iterator
from difflib import ndiff

from ....config.security.redaction import redact
from ....config.trust.decision import Trust
from ....config.trust.program_item import ProgramItem, ProgramKind
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ..definition_list import get_terminal_width
from ..line_breaks import split_rows
from ..sanitize import sanitize_line

MAX_OF_A_KIND = 60
# Most characters of one program's command or value
MAX_LENGTH = 2_000
# Most lines of a difference; most lines that are compared
MAX_LINES, MAX_COMPARED = 20, 400


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
        yield from _wrap(sanitize_line(line), "      ")
    if (more := len(lines) - MAX_LINES) > 0:
        yield f"      {t('trust.more', count=more)}"


def _format_items(trust: Trust, kind: ProgramKind, indent: str) -> Iterator[str]:
    items = [item for item in trust.programs if item.kind == kind]
    for item in items[:MAX_OF_A_KIND]:
        yield from _wrap(sanitize_line(_describe(item)), indent)
    if (more := len(items) - MAX_OF_A_KIND) > 0:
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
