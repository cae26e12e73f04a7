"""What an MCP server asks the user: a form, field by field, or a page to open."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from ...config.text import text
from ...tools.result import ToolError
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..rendering.approval_request import show_request
from ..rendering.console import show_line
from .choice import choose, hold_request
from .choice_keys import Choice
from .text_input import read_line

if TYPE_CHECKING:
    from ...tools.mcp.questions import FormField

ApprovalRequest = Mapping[str, Any]


def is_server_question(request: ApprovalRequest) -> bool:
    """Return whether a server asks this, and not a call."""
    return "form" in request or "url" in request


def decide_server_question(console: Console, request: ApprovalRequest) -> dict[str, Any]:
    """Return the user's answer; a page is never opened for them."""
    head, _ = hold_request(console, lambda: show_request(console, request))
    is_form = "form" in request
    yes = t("key.server.fill" if is_form else "key.server.page")
    choices = [Choice("yes", yes), Choice("no", t("key.server.no"))]
    question = t("ask.server.form" if is_form else "ask.server.page")
    if choose(console, question, choices, request=head).word == "no":
        return {"type": "reject", "message": ""}
    if not is_form:
        return {"type": "approve"}
    action = {"name": request["name"], "args": _read_form(console, request["form"])}
    return {"type": "edit", "edited_action": action}


def _read_form(console: Console, schema: Mapping[str, Any]) -> dict[str, Any]:
    from ...tools.mcp.questions import FormField, convert_value, read_fields

    def read_field(field: FormField) -> Any:
        while True:
            words = _read_field(console, field)
            if not words and (field.default is not None or not field.required):
                return field.default
            try:
                if not words:
                    raise ToolError(text("the field `{name}` is missing", name=field.name))
                return convert_value(field, words)
            except ToolError as error:
                show_line(console, translate(str(error)), "yellow")

    values = {field.name: read_field(field) for field in read_fields(schema)}
    return {name: value for name, value in values.items() if value is not None}


def _read_field(console: Console, field: "FormField") -> str:
    """Return what was typed; the number of a choice as it stands in the form."""
    if not field.choices:
        return read_line(console, _format_field(field.label, field.default, field.choices))
    choices = [Choice(str(at), title, letter="") for at, (_, title) in enumerate(field.choices, 1)]
    other = Choice("", t("key.server.other"), letter="")
    reply = choose(console, _format_field(field.label, field.default, ()), [*choices, other])
    return reply.text or reply.word


def _format_field(label: str, default: object, choices: Sequence[tuple[str, str]]) -> str:
    choice_list = ", ".join(f"{number} {title}" for number, (_, title) in enumerate(choices, 1))
    parts = [
        label,
        f"[{choice_list}]" if choice_list else "",
        f"({default})" if default is not None else "",
    ]
    return f"{' '.join(filter(None, parts))}:"
