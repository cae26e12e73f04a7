"""What a question says is asked."""

from typing import Any

import pytest

from maxagent.nodes.events.question import Question


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("ask_user", {"question": "Which one?", "options": ["a"]}, "Which one?"),
        ("plan_mode_respond", {"response": "先看测试。"}, "先看测试。"),
        ("ask_user", {"question": ""}, "ask_user(question='')"),
        ("run_command", {"command": "rm x"}, "run_command(command='rm x')"),
        # a call whose argument only has such a name
        (
            "mcp_db_run",
            {"question": "May I look?", "sql": "DROP TABLE users"},
            "mcp_db_run(question='May I look?', sql='DROP TABLE users')",
        ),
        (
            "deploy",
            {"response": "ok", "to": "production"},
            "deploy(response='ok', to='production')",
        ),
        ("ask_user", {"response": "x", "n": 1}, "ask_user(response='x', n=1)"),
    ],
)
def test_a_call_is_shown_whole(name: str, args: dict[str, Any], text: str) -> None:
    request = {"name": name, "args": args, "description": "why"}
    question = Question("t", "q", "approval", [request], [])
    assert question.text in (text, f"{text}: why")
    assert (question.text == text) == (text in args.values())
