import io

import pytest

from maxagent.cli.asked_switch import decide_switch
from maxagent.cli.screen import open_console

PLAN = {"name": "plan_exit", "args": {"plan": ".llc/plans/p.md", "text": "1. all\n\n2. \x1b[2J"}}
ENTER = {"name": "plan_enter", "args": {"reason": "it is large"}}


def decided(monkeypatch, request, typed):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return decide_switch(open_console(), request)


@pytest.mark.parametrize(
    ("request_", "typed", "decision"),
    [
        (ENTER, "y\n", {"type": "approve"}),
        (ENTER, "e\nm\nn\nno need\n", {"type": "reject", "message": "no need"}),
        (PLAN, "y\n", {"type": "approve"}),
        (PLAN, "n\nshorter\n", {"type": "reject", "message": "shorter"}),
        (PLAN, "m\n\n\ny\n", {"type": "approve"}),
        (
            PLAN,
            "m\nglm/glm-4.6\nyolo\nauto\ny\n",
            {"type": "approve", "model": "glm/glm-4.6", "mode": "auto"},
        ),
    ],
)
def test_what_is_typed_becomes_a_decision(monkeypatch, request_, typed, decision):
    assert decided(monkeypatch, request_, typed) == decision


def test_the_whole_plan_is_shown_with_nothing_hidden(monkeypatch, capsys):
    decided(monkeypatch, PLAN, "y\n")
    assert "  │ 1. all\n  │ \n  │ 2. \\x1b[2J\n" in capsys.readouterr().err


def test_a_plan_is_changed_in_the_editor_and_shown_again(monkeypatch, capsys, tmp_path):
    (tmp_path / "left").write_text("1. half\n")
    monkeypatch.setenv("EDITOR", f"cp {tmp_path / 'left'}")
    monkeypatch.delenv("VISUAL", raising=False)
    decision = decided(monkeypatch, PLAN, "e\ny\n")
    assert decision["edited_action"]["args"]["text"] == "1. half"
    assert "  │ 1. half\n" in capsys.readouterr().err


def test_what_was_changed_stands_beside_a_no(monkeypatch, tmp_path):
    (tmp_path / "left").write_text("1. half\n")
    monkeypatch.setenv("EDITOR", f"cp {tmp_path / 'left'}")
    monkeypatch.delenv("VISUAL", raising=False)
    decision = decided(monkeypatch, PLAN, "e\nn\nnot yet\n")
    assert (decision["type"], decision["message"]) == ("reject", "not yet")
    assert decision["edited_action"]["args"]["text"] == "1. half"
