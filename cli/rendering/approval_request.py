"""The full content of an approval request: never cut, line by line, with nothing hidden.

Each line of a text follows a bar, so that no text can look like a part of the question.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from typing import Any, cast

from rich.console import Console

from ...config.security.redaction import find_marks
from ...sdk.events import Question
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from .console import fit_rows, show_line, style_text
from .diffs.output import show_diff
from .humanize import format_remaining_time
from .sanitize import sanitize_line, sanitize_text
from .text_width import measure_width
from .tool_summary import VERBS

BAR = "  │ "
# Rows of the screen that the question itself takes
ROOM_FOR_ANSWER = 4
# Asked by a run that changes to a dearer model; no call of a model
CHANGE_MODEL = "change_model"
# Verbs of `VERBS` that have a heading of their own
ASKED = ("ask", "edit", "fetch", "read", "run", "stop", "write")
# Arguments with a word of the interface; others have the tool's
ARGUMENTS = ("command", "content", "cwd", "file_path", "path", "url")


def show_request(console: Console, request: Mapping[str, Any]) -> bool:
    """Show it; return whether all of it fits on the screen."""
    heading = sanitize_line(_describe_call(request["name"]))
    why = sanitize_line(translate_stored(str(request.get("description", ""))))
    show_line(console, f"\n{heading}", "bold yellow")
    if why:
        show_line(console, f"  {why}", "yellow")
    lines = show_arguments(console, request)
    room = shutil.get_terminal_size()
    above = sum(len(list(fit_rows(style_text(row, ""), room.columns))) for row in (heading, why))
    return above + _count_rows(lines) + ROOM_FOR_ANSWER <= room.lines


def _describe_call(tool: str) -> str:
    """Return what the call does, in the words of a person."""
    if tool == CHANGE_MODEL:
        return t("ask.call.change_model")
    verb = VERBS.get(tool, "use")
    return t("ask.call.use", tool=tool) if verb not in ASKED else t(f"ask.call.{verb}")


def show_arguments(console: Console, request: Mapping[str, Any]) -> list[str]:
    """Show all that would run or change, and where; return the lines."""
    lines, diff = list(_format_lines(request)), str(request.get("diff") or "")
    for line in lines:
        console.print(style_text(line, ""))
    if diff:
        lines += [""] * show_diff(console, diff, indent="  ", most=None)
    return lines


def describe_asker(question: Question) -> str:
    """Describe which sub-agent asks, and how many questions are open; empty for a single one."""
    agent = sanitize_line(question.agent)
    if question.count == 1:
        return t("ask.agent", agent=agent) if agent else ""
    words = {"position": question.position, "count": question.count}
    return t("ask.agent.one_of", agent=agent, **words) if agent else t("ask.one_of", **words)


def describe_limit(question: Question, thread: str) -> str:
    """Describe the limit at which the thread stopped, and how to continue."""
    why = translate_stored(question.description)
    if not question.provider:
        return t("run.limit", why=why, thread=thread)
    left = "" if not question.until else format_remaining_time(question.until)
    key = "run.limit.provider" if left else "run.limit.unknown"
    return t(key, why=why, thread=thread, left=left)


def show_text(console: Console, text: str) -> None:
    """Show a whole text, each line after a bar."""
    for line in text.splitlines():
        console.print(style_text(f"{BAR}{sanitize_text(line)}", ""))


def format_model_change(change: Mapping[str, Any]) -> str:
    """Describe the change, with its reason and both prices."""
    return t(
        "run.model_changed",
        reason=translate_stored(change["reason"]),
        before=change["from"],
        after=change["to"],
        price_before=_format_price(change["price_before"]),
        price_after=_format_price(change["price_after"]),
    )


def _format_price(price: Mapping[str, float] | None) -> str:
    if price is None:
        return t("price.unknown")
    return t("price.known", input=f"{price['input']:g}", output=f"{price['output']:g}")


def _format_lines(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments, unless an edit's diff shows their whole effect; then where it runs.

    A redaction mark in a diff may hide text that only looks like a secret.
    """
    args, diff = cast("Mapping[str, object]", request["args"]), str(request.get("diff") or "")
    if request["name"] == CHANGE_MODEL:
        yield f"  {sanitize_line(format_model_change(args))}"
        return
    from ...tools.permissions.subject import EDITING_TOOLS
    from ...tools.textedits.unified_diff import is_shortened

    # only an edit's diff is its effect; others show what has changed of a tool or of a script
    is_edit = request["name"] in EDITING_TOOLS
    shows_all = diff and is_edit and not is_shortened(diff) and not find_marks(diff)
    if "url" in request:
        yield f"  {sanitize_line(str(request['url']))}"
    if "form" in request:
        yield from _format_fields(request["form"])
        return
    for name, value in () if shows_all else args.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield from _format_argument(name, text)
    if request["name"] in ("run_command", "run_tests"):
        if "cwd" not in args:
            yield f"  {t('labelled', label=t('ask.argument.cwd'), said='.')}"
        yield f"  {t('ask.sandbox', state=_describe_sandbox(request))}"


def _format_fields(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of a server's form."""
    from ...tools.mcp.questions import read_fields

    for field in read_fields(schema):
        choices = ", ".join(label for _, label in field.choices)
        facts = [choices or field.kind, "" if field.required else t("ask.server.optional")]
        label = "" if field.label == field.name else f" {field.label}"
        yield sanitize_line(f"  {field.name}:{label} ({', '.join(filter(None, facts))})")


def _format_argument(name: str, text: str) -> Iterator[str]:
    """Yield the argument on one line, or each of its lines after a bar; tabs are escaped."""
    escaped_text = text.replace("\t", "\\t")
    name = t(f"ask.argument.{name}") if name in ARGUMENTS else name
    if "\n" not in escaped_text:
        yield f"  {t('labelled', label=name, said=escaped_text)}"
        return
    yield f"  {t('labelled', label=name, said='').rstrip()}"
    # a carriage return is part of the text, and must be visible
    yield from (f"{BAR}{sanitize_text(line)}" for line in escaped_text.split("\n"))


def _describe_sandbox(request: Mapping[str, Any]) -> str:
    if request["args"].get("outside_sandbox"):
        return t("ask.sandbox.outside")
    return translate_stored(str(request.get("sandbox", ""))) or t("ask.sandbox.none")


def _count_rows(lines: list[str]) -> int:
    """Return how many rows of the screen the lines take when wrapped."""
    columns = max(shutil.get_terminal_size().columns, 1)
    return sum(1 + max(measure_width(sanitize_text(line)) - 1, 0) // columns for line in lines)
