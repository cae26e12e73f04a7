import io

import pytest

from maxagent.cli.approval import ask
from maxagent.sdk.events import Question

COMMAND = {
    "name": "run_command",
    "args": {"command": "make \x1b[2Jall"},
    "description": "a command",
}
REVIEW = {"name": "review", "args": {"outcome": "verified", "diff": "+new\n"}, "description": ""}
WHICH = {"name": "ask_user", "args": {"question": "Which?", "options": ["red", "blue"]}}
ANY = ["approve", "edit", "reject", "respond"]


def question(*requests):
    allowed = {"ask_user": ["respond"]}
    configs = [
        {"action_name": one["name"], "allowed_decisions": allowed.get(one["name"], ANY)}
        for one in requests
    ]
    return Question("t", "i", "approval", list(requests), configs)


@pytest.mark.parametrize(
    ("requests", "typed", "decisions"),
    [
        ([COMMAND], "y\n", [{"type": "approve"}]),
        ([COMMAND], "what\nn\ntoo slow\n", [{"type": "reject", "message": "too slow"}]),
        ([COMMAND, COMMAND], "y\nn\n\n", [{"type": "approve"}, {"type": "reject", "message": ""}]),
        ([WHICH], "2\n", [{"type": "respond", "message": "blue"}]),
        ([WHICH], "3\n", [{"type": "respond", "message": "3"}]),
        ([WHICH], "green\n", [{"type": "respond", "message": "green"}]),
        ([REVIEW], "k\n", [{"type": "approve"}]),
        ([REVIEW], "u\n", [{"type": "reject"}]),
        ([REVIEW], "r\nshorter\n", [{"type": "respond", "message": "shorter"}]),
        ([REVIEW], "r\n\nk\n", [{"type": "approve"}]),
    ],
)
def test_what_the_human_types_becomes_one_decision_each(monkeypatch, requests, typed, decisions):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    answer = ask(question(*requests))
    assert answer is not None and list(answer.decisions) == decisions


def test_ctrl_d_leaves_the_question_open(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert ask(question(COMMAND)) is None


def test_the_whole_command_is_shown_with_control_characters_visible(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    ask(question(COMMAND))
    shown = capsys.readouterr().err
    assert "make \\x1b[2Jall" in shown and "\x1b[2J" not in shown


def test_an_edit_is_shown_as_its_diff(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-old\x1b[2J\n+new\n[… 7 more lines]\n"
    args = {"file_path": "x.py", "old_string": "old", "new_string": "new"}
    ask(question({"name": "edit", "args": args, "description": "it changes files", "diff": diff}))
    shown = capsys.readouterr().err
    assert "edit: it changes files" in shown and "old_string" not in shown
    assert "  -old\\x1b[2J\n  +new\n  [… 7 more lines]\n" in shown


def test_an_answer_names_the_question_that_was_read(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    answer = ask(question(COMMAND))
    assert answer is not None and answer.question == "i"
