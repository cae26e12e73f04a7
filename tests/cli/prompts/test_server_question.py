"""The form and the page of an MCP server, answered as they are typed."""

import io
from collections.abc import Mapping
from typing import Any

import pytest

from maxagent.cli.prompts.server_question import decide_server_question
from maxagent.cli.rendering.console import open_console
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.input_request import InputRequest
from maxagent.tools.mcp.questions import describe_question
from maxagent.tools.mcp.tool_adapter import build_tool

FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name"},
        "age": {"type": "integer", "description": "in years\u202e"},
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["small", "medium"]},
        "news": {"type": "boolean", "default": False},
    },
    "required": ["name", "size"],
}
TOOL = build_tool("mcp_shop_order", ToolDefinition("shop", "order", ""), from_project=False)
PAGE = InputRequest("url", "Log in, please.", url="https://shop.example/login?x=1")


def decide(
    monkeypatch: pytest.MonkeyPatch, typed: str, request: InputRequest | None = None
) -> Mapping[str, Any]:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    action, _ = describe_question(request or InputRequest("form", "Who?", FORM), TOOL)
    return decide_server_question(open_console(), action)


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("yes\nAda\n\n2\n\n", {"name": "Ada", "size": "m", "news": False}),
        ("yes\nAda\n36\nsmall\ny\n", {"name": "Ada", "age": 36, "size": "s", "news": True}),
        ("y\nyes\nAda\nold\n36\nxl\n1\nmaybe\nno\n",
         {"name": "Ada", "age": 36, "size": "s", "news": False}),
        ("yes\n\nAda\n\n\nm\n\n", {"name": "Ada", "size": "m", "news": False}),
    ],
)  # fmt: skip
def test_a_form_is_filled_in_field_by_field(
    monkeypatch: pytest.MonkeyPatch, typed: str, values: dict[str, object]
) -> None:
    assert decide(monkeypatch, typed) == {
        "type": "edit",
        "edited_action": {"name": "mcp_shop_order", "args": values},
    }


def test_a_form_shows_who_asks_and_its_fields(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    decide(monkeypatch, "yes\nAda\nold\n36\n1\n\n")
    seen = capsys.readouterr().err
    for text in (
        "the MCP server `shop` asks: Who?",
        "Your name:",
        "  1 small\n  2 medium\n",
        "(False):",
        "`old` does not fit the field `age`",
        "age: in years (integer, optional)",
    ):
        assert text in seen
    assert "\u202e" not in seen


@pytest.mark.parametrize(
    ("typed", "decision"),
    [("yes\n", {"type": "approve"}), ("no\n", {"type": "reject", "message": ""})],
)
def test_a_page_is_agreed_to_and_never_opened(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    decision: dict[str, str],
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda *_: pytest.fail("it was opened"))
    assert decide(monkeypatch, typed, PAGE) == decision
    seen = capsys.readouterr().err
    assert "shop.example" in seen and "https://shop.example/login?x=1" in seen


def test_a_form_is_declined_or_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decide(monkeypatch, "no\n")["type"] == "reject"
    with pytest.raises(EOFError):
        decide(monkeypatch, "yes\nAda\n")
