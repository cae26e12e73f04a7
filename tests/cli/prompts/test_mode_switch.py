import io

import pytest

from maxagent.cli.prompts.mode_switch import decide_switch
from maxagent.cli.rendering.console import open_console

PLAN = {"name": "plan_exit", "args": {"plan": ".llc/plans/p.md", "text": "1. all\n\n2. \x1b[2J"}}
ENTER = {"name": "plan_enter", "args": {"reason": "it is large"}}


def decided(monkeypatch, request, typed):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return decide_switch(open_console(), request)


@pytest.mark.parametrize(
    ("request_", "typed", "decision"),
    [
        (ENTER, "yes\n", {"type": "approve"}),
        (ENTER, "e\nno need\n", {"type": "reject", "message": "no need"}),
        (PLAN, "yes\n", {"type": "approve"}),
        (PLAN, "shorter\n", {"type": "reject", "message": "shorter"}),
        (PLAN, "model\n\n\nyes\n", {"type": "approve"}),
        (
            PLAN,
            "model\nglm/glm-4.6\nyolo\nauto\nyes\n",
            {"type": "approve", "model": "glm/glm-4.6", "mode": "auto"},
        ),
    ],
)
def test_what_is_typed_becomes_a_decision(monkeypatch, request_, typed, decision):
    assert decided(monkeypatch, request_, typed) == decision


def test_the_whole_plan_is_shown_with_nothing_hidden(monkeypatch, capsys):
    decided(monkeypatch, PLAN, "yes\n")
    seen = capsys.readouterr().err
    assert "  │ 1. all\n  │ \n  │ 2. \\x1b[2J\n" in seen
    assert "  Its file: .llc/plans/p.md\n" in seen  # also where the question was resumed


def test_choices_are_shown_and_survive_repeated_question(monkeypatch, capsys):
    request = {**PLAN, "chosen": {"model": "glm/glm-4.6"}}
    decision = decided(monkeypatch, request, "model\n\nedits\nyes\n")
    assert decision == {"type": "approve", "model": "glm/glm-4.6", "mode": "edits"}
    seen = capsys.readouterr().err
    assert "Model for this plan: glm/glm-4.6" in seen and "mode for this plan: edits" in seen


def test_changed_plan_answers_before_other_questions(monkeypatch, tmp_path):
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\necho 3. mine >> "$1"\n')
    monkeypatch.setenv("EDITOR", f"sh {editor}")
    monkeypatch.delenv("VISUAL", raising=False)
    decision = decided(monkeypatch, PLAN, "model\n\nedits\nedit\n")
    assert (decision["type"], decision["draft"], decision["mode"]) == ("edit", True, "edits")
    assert decision["edited_action"]["args"]["text"] == "1. all\n\n2. \x1b[2J\n3. mine"


def test_plan_unchanged_in_editor_is_asked_again(monkeypatch):
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)
    assert decided(monkeypatch, PLAN, "edit\nyes\n") == {"type": "approve"}
