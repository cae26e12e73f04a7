"""A server's question to the user: its form, and what answers fit it.

The form is a flat JSON schema: texts, numbers, yes or no, and choices.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from ...config.security.redaction import redact
from ...config.text import text
from ..result import ToolError
from .input_request import InputAnswer, InputRequest
from .tool_adapter import McpTool
from .tool_text import remove_hidden

FieldKind = Literal["text", "number", "integer", "boolean", "choice", "choices"]
MAX_MESSAGE_LENGTH = 4_000
YES = frozenset(["y", "yes", "true", "1", "on", "ja", "是"])
NO = frozenset(["n", "no", "false", "0", "off", "nein", "否"])


@dataclass(frozen=True)
class FormField:
    """One field of a form."""

    name: str
    kind: FieldKind
    label: str
    """Its title and description, for the user."""
    required: bool = False
    default: Any = None
    """None: none."""
    choices: tuple[tuple[str, str], ...] = ()
    """Value and label of each choice."""


def describe_question(
    request: InputRequest, tool: McpTool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the request of an interrupt and its configuration, in the format of Studio."""
    server, message = tool.definition.server, _shorten(request.message)
    action: dict[str, Any] = {"name": tool.name, "server": server, "args": {}}
    if request.kind == "url":
        host = urlsplit(request.url).netloc
        action |= {"url": remove_hidden(request.url), "host": host}
        description = text(
            "the MCP server `{server}` asks you to open a page of `{host}`: {message}",
            server=server,
            host=host,
            message=message,
        )
        allowed = ["approve", "reject"]
    else:
        fields = read_fields(request.schema)
        action |= {"form": dict(request.schema), "args": _collect_defaults(fields)}
        description = text(
            "the MCP server `{server}` asks: {message}", server=server, message=message
        )
        complete = all(field.default is not None for field in fields if field.required)
        allowed = [*(["approve"] if complete else []), "respond", "edit", "reject"]
    config: dict[str, Any] = {"action_name": tool.name, "allowed_decisions": allowed}
    if request.kind == "form":
        config["form"] = dict(request.schema)
    return {**action, "description": description}, config


def _shorten(message: str) -> str:
    return redact(remove_hidden(message).strip())[:MAX_MESSAGE_LENGTH]


def read_decision(decision: Mapping[str, Any], request: InputRequest) -> InputAnswer | None:
    """Return the answer that the user's decision means; None if it does not fit the question."""
    kind = decision.get("type")
    if kind == "reject":
        return InputAnswer("decline")
    if request.kind == "url":
        return InputAnswer("accept") if kind == "approve" else None
    try:
        return InputAnswer("accept", read_form_answer(decision, request.schema))
    except ToolError:
        return None


def read_form_answer(decision: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a decision gives; raises ToolError if they do not fit the form."""
    kind, fields = decision.get("type"), read_fields(schema)
    if kind == "approve":
        return check_values(fields, {})
    if kind == "respond":
        answer = decision.get("message") or decision.get("args") or ""
        return check_values(fields, parse_values(fields, str(answer)))
    edited: object = decision.get("edited_action") or decision.get("args")
    values = cast("dict[str, object]", edited) if isinstance(edited, dict) else {}
    inner = values.get("args", values)
    return check_values(fields, cast("dict[str, object]", inner) if isinstance(inner, dict) else {})


def parse_values(fields: Sequence[FormField], answer: str) -> dict[str, object]:
    """Return the values in a text: JSON, a line `NAME: VALUE` for each, or that of one field."""
    answer = answer.strip()
    if answer.startswith("{"):
        try:
            values: object = json.loads(answer)
        except ValueError as error:
            raise ToolError(text("it is not JSON: {error}", error=error)) from error
        return cast("dict[str, object]", values)
    names = {field.name for field in fields}
    lines = [re.split(r"\s*[:=]\s*", line.strip(), maxsplit=1) for line in answer.splitlines()]
    if lines and all(len(pair) == 2 and pair[0] in names for pair in lines):
        return {pair[0]: pair[1] for pair in lines}
    asked = [field for field in fields if field.required] or list(fields)
    if len(asked) != 1:
        quoted_names = ", ".join(f"`{field.name}`" for field in fields)
        raise ToolError(text("give a line `NAME: VALUE` for each of {names}", names=quoted_names))
    return {asked[0].name: answer}


def check_values(fields: Sequence[FormField], answers: Mapping[str, object]) -> dict[str, Any]:
    """Return the values in their types, with defaults; raises ToolError if they do not fit."""
    field_names = {field.name for field in fields}
    if unknown := sorted(set(answers) - field_names):
        raise ToolError(text("there is no field `{name}`", name=unknown[0]))
    values = {
        field.name: convert_value(field, answers[field.name])
        if answers.get(field.name) is not None
        else field.default
        for field in fields
    }
    for field in fields:
        if field.required and values[field.name] is None:
            raise ToolError(text("the field `{name}` is missing", name=field.name))
    return {name: value for name, value in values.items() if value is not None}


def convert_value(field: FormField, value: object) -> Any:
    """Return a value in the field's type; raises ToolError if it does not fit."""
    problem = ToolError(
        text("`{value}` does not fit the field `{name}`", value=value, name=field.name)
    )
    if field.kind == "choices":
        items = cast("list[object]", value) if isinstance(value, list) else str(value).split(",")
        return [_convert_choice(field, str(item).strip(), problem) for item in items]
    if field.kind == "choice":
        return _convert_choice(field, str(value).strip(), problem)
    if field.kind == "boolean":
        word = str(value).strip().casefold()
        if word not in YES | NO:
            raise problem
        return word in YES
    if field.kind in ("number", "integer"):
        try:
            return int(str(value)) if field.kind == "integer" else float(str(value))
        except ValueError:
            raise problem from None
    return str(value)


def _convert_choice(field: FormField, chosen: str, problem: ToolError) -> str:
    """Return the choice of this value, label or number from 1."""
    for number, (value, label) in enumerate(field.choices, 1):
        if chosen in (value, label, str(number)):
            return value
    raise problem


def read_fields(schema: Mapping[str, Any]) -> tuple[FormField, ...]:
    """Return the fields of a form in their order."""
    required = schema.get("required", [])
    properties: Mapping[str, object] = schema.get("properties", {})
    return tuple(
        _read_field(name, cast("Mapping[str, Any]", about), name in required)
        for name, about in properties.items()
        if isinstance(about, Mapping)
    )


def _read_field(name: str, about: Mapping[str, Any], required: bool) -> FormField:
    is_list = about.get("type") == "array"
    choices = _read_choices(about.get("items", {}) if is_list else about)
    kind: FieldKind = "text"
    if choices:
        kind = "choices" if is_list else "choice"
    elif about.get("type") in ("number", "integer", "boolean"):
        kind = cast(FieldKind, about["type"])
    words = [str(about.get(key, "")) for key in ("title", "description")]
    label = remove_hidden(": ".join(filter(None, words)) or name)
    return FormField(name, kind, label, required, about.get("default"), choices)


def _read_choices(about: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    titled = about.get("oneOf") or about.get("anyOf")
    if isinstance(titled, list):
        options = cast("list[Mapping[str, Any]]", titled)
        return tuple(
            (str(option["const"]), remove_hidden(str(option.get("title", option["const"]))))
            for option in options
            if "const" in option
        )
    values = cast("list[object]", about.get("enum") or [])
    names = cast("list[object]", about.get("enumNames") or values)
    labels = names if len(names) == len(values) else values
    return tuple(
        (str(value), remove_hidden(str(label))) for value, label in zip(values, labels, strict=True)
    )


def _collect_defaults(fields: Sequence[FormField]) -> dict[str, Any]:
    return {field.name: field.default for field in fields if field.default is not None}
