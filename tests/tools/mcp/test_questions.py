from typing import Any

import pytest

from maxagent.tools.mcp.input_request import InputAnswer, InputRequest
from maxagent.tools.mcp.questions import read_decision, read_fields, read_form_answer
from maxagent.tools.result import ToolError

FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name"},
        "age": {"type": "integer"},
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["small", "medium"]},
        "news": {"type": "boolean", "default": False},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
    },
    "required": ["name"],
}


def respond(text: str) -> dict[str, str]:
    return {"type": "respond", "message": text}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Ada", {"name": "Ada"}),
        ('{"name": "Ada", "age": 3}', {"name": "Ada", "age": 3}),
        ('{"name": "Ada", "age": null, "news": null}', {"name": "Ada"}),
        ("name: Ada\nsize = medium\nnews: yes", {"name": "Ada", "size": "m", "news": True}),
        ("name: Ada\nsize: 1\ntags: a, b", {"name": "Ada", "size": "s", "tags": ["a", "b"]}),
    ],
)
def test_a_text_fills_in_a_form(text: str, values: dict[str, Any]) -> None:
    assert read_form_answer(respond(text), FORM) == {"news": False, **values}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"age": 3}', "`name` is missing"),
        ('{"name": null}', "`name` is missing"),
        ('{"name": "x", "age": "old"}', "`old` does not fit"),
        ('{"nam": "x"}', "no field `nam`"),
        ("name: x\nsize: huge", "`huge` does not fit"),
        ("{", "not JSON"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        read_form_answer(respond(text), FORM)


def test_decisions_of_each_kind() -> None:
    form, page = InputRequest("form", "?", FORM), InputRequest("url", "?", url="https://x.org/")
    edited = {"type": "edit", "edited_action": {"name": "t", "args": {"name": "Ada"}}}
    assert read_decision(edited, form) == InputAnswer("accept", {"name": "Ada", "news": False})
    assert read_decision({"type": "approve"}, form) is None
    assert read_decision({"type": "approve"}, page) == InputAnswer("accept")
    assert read_decision(respond("x"), page) is None
    assert read_decision({"type": "reject"}, form) == InputAnswer("decline")


def test_fields_have_kinds_and_labels() -> None:
    assert [field.kind for field in read_fields(FORM)] == [
        "text", "integer", "choice", "boolean", "choices"]  # fmt: skip
    assert read_fields(FORM)[2].choices == (("s", "small"), ("m", "medium"))
