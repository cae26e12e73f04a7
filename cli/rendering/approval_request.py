"""The full content of an approval request: never cut, line by line, with nothing hidden.

Each line of a text follows a bar, so that no text can look like a part of the question.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from typing import Any, cast

from rich.console import Console
from rich.text import Text

from ...config.security.redaction import find_marks
from ...sdk.events import Question
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from .console import (
    MARGIN,
    can_redraw,
    fit_rows,
    show_heading,
    show_line,
    show_sentence,
    style_text,
)
from .diffs.output import show_diff
from .humanize import format_remaining_time
from .line_breaks import cut_text
from .sanitize import escape_hidden, sanitize_line, sanitize_text
from .text_width import measure_width
from .tool_summary import SELF_EVIDENT, VERBS

BAR = "  │ "
# Before a command of one line
PROMPT = "  $ "
# Rows of the screen that the question itself takes, with its choices and the rows between
ROOM_FOR_ANSWER = 10
# Asked by a run that changes to a dearer model; no call of a model
CHANGE_MODEL = "change_model"
# Verbs of `VERBS` that have a heading of their own
ASKED = ("ask", "edit", "fetch", "read", "run", "stop", "write")
# Arguments with a word of the interface; others have the tool's
ARGUMENTS = ("command", "content", "cwd", "file_path", "path", "url")
# Tools whose call has a folder and a sandbox
RUNNING = ("run_command", "run_tests")


def show_request(console: Console, request: Mapping[str, Any]) -> bool:
    """Show it; return whether all of it fits on the screen."""
    why = str(request.get("description", ""))
    facts = [*_describe_sandbox(request)]
    if why and why not in SELF_EVIDENT:
        facts.insert(0, (sanitize_line(translate_stored(why)), ""))
    show_heading(console, sanitize_line(_describe_call(request["name"])))
    lines = _show_call(console, request)
    if facts and can_redraw(console):
        console.print()
    for fact, style in facts:
        show_sentence(console, f"{MARGIN}{fact}", style)
    room = shutil.get_terminal_size()
    below = sum(len(list(fit_rows(Text(fact), room.columns))) for fact, _ in facts)
    return 1 + _count_rows(lines) + below + ROOM_FOR_ANSWER <= room.lines


def _describe_call(tool: str) -> str:
    """Return what the call does, in the words of a person."""
    if tool == CHANGE_MODEL:
        return t("ask.call.change_model")
    verb = VERBS.get(tool, "use")
    return t("ask.call.use", tool=tool) if verb not in ASKED else t(f"ask.call.{verb}")


def show_arguments(console: Console, request: Mapping[str, Any]) -> None:
    """Show all that would run or change, and where."""
    _show_call(console, request)
    for fact, style in _describe_sandbox(request):
        show_line(console, f"{MARGIN}{fact}", style)


def _show_call(console: Console, request: Mapping[str, Any]) -> list[str]:
    """Show the arguments and the diff; return the lines."""
    lines, diff = [*map(escape_hidden, _format_lines(request))], str(request.get("diff") or "")
    for line in lines:
        if line.startswith(PROMPT):
            _show_command(console, line.removeprefix(PROMPT))
        else:
            console.print(style_text(line, ""))
    if diff:
        lines += [""] * show_diff(console, diff, indent="  ", most=None)
    return lines


def _show_command(console: Console, command: str) -> None:
    """Show a command, each further row below its first character."""
    styled, head = style_text(command, "bold"), PROMPT
    room = max(console.width - len(PROMPT), 1)
    for row in cut_text(styled, room) if can_redraw(console) else [styled]:
        console.print(Text.assemble((head, "dim"), row))
        head = " " * len(PROMPT)


def describe_asker(question: Question) -> str:
    """Describe which sub-agent asks, and how many questions are open; empty for a single one."""
    agent = sanitize_line(question.agent)
    if question.count == 1:
        return t("ask.agent", agent=agent) if agent else ""
    words = {"position": question.position, "count": question.count}
    return t("ask.agent.one_of", agent=agent, **words) if agent else t("ask.one_of", **words)


def describe_limit(question: Question, thread: str) -> str:
    """Describe the limit at which the thread stopped; then, on rows of their own, how to go on."""
    why = sanitize_line(translate_stored(question.description)).rstrip(".。")
    if not question.provider:
        return t("run.limit", why=why, thread=thread)
    left = "" if not question.until else format_remaining_time(question.until)
    key = "run.limit.provider" if left else "run.limit.unknown"
    return t(key, why=why, thread=thread, left=left)


def show_text(console: Console, text: str) -> None:
    """Show a whole text, each line after a bar."""
    for line in text.splitlines():
        console.print(style_text(f"{BAR}{sanitize_text(line)}", ""))


def show_markdown(console: Console, text: str) -> None:
    """Show a whole text as Markdown; where nothing can be drawn, each line after a bar."""
    if not can_redraw(console):
        show_text(console, text)
        return
    from .markdown.blocks import MarkdownBlock
    from .markdown.layout import render_block

    for row in render_block(MarkdownBlock(text), console.width - len(MARGIN)):
        console.print(Text.assemble(MARGIN, row) if row else row)


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
        if name == "command" and request["name"] in RUNNING and "\n" not in text:
            yield f"{PROMPT}{_escape_tabs(text)}"
        else:
            yield from _format_argument(name, text)


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
    escaped_text = _escape_tabs(text)
    name = t(f"ask.argument.{name}") if name in ARGUMENTS else name
    if "\n" not in escaped_text:
        yield f"  {t('labelled', label=name, said=escaped_text)}"
        return
    yield f"  {t('labelled', label=name, said='').rstrip()}"
    # a carriage return is part of the text, and must be visible
    yield from (f"{BAR}{sanitize_text(line)}" for line in escaped_text.split("\n"))


def _escape_tabs(text: str) -> str:
    return text.replace("\t", "\\t")


def _describe_sandbox(request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the sandbox of a command, with its style; none is worth a warning."""
    if request["name"] not in RUNNING:
        return
    is_outside = bool(request["args"].get("outside_sandbox"))
    sandbox = "" if is_outside else translate_stored(str(request.get("sandbox", "")))
    none = t("ask.sandbox.outside" if is_outside else "ask.sandbox.none")
    yield t("ask.sandbox", state=sandbox or none), "dim" if sandbox else "yellow"


def _count_rows(lines: list[str]) -> int:
    """Return how many rows of the screen the lines take when wrapped."""
    columns = max(shutil.get_terminal_size().columns, 1)
    return sum(1 + max(measure_width(sanitize_text(line)) - 1, 0) // columns for line in lines)
