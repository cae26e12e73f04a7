from dataclasses import dataclass, replace

import pytest

from maxagent.nodes.approval.evaluate import (
    Ruling,
    answered,
    decided_now,
    ids_of,
    refused_by_now,
    rule,
    shown,
)
from maxagent.tools.permissions import Policy
from maxagent.tools.runtime.registry import all_tools
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.workspace import Workspace

TOOLS = {tool.name: tool for tool in all_tools()}


@dataclass
class Bench:
    workspace: Workspace
    policy: Policy
    sandbox: Sandbox


@dataclass
class Voice:
    bench: Bench
    tools = TOOLS


@pytest.fixture
def bench(tmp_path):
    workspace = Workspace(tmp_path)
    return Bench(workspace, Policy("edits"), Sandbox(workspace, tmp_path / "home"))


def ruling(bench, name, **args):
    return rule({"name": name, "args": args, "id": "c1", "type": "tool_call"}, Voice(bench))


def test_an_unknown_tool_is_refused_with_what_there_is(bench):
    refused = ruling(bench, "greb", regex="x")
    assert refused.verdict == "deny"
    assert "did you mean `grep`" in refused.reason and "run_command" in refused.reason


def test_an_alias_is_ruled_under_its_own_name(bench):
    assert ruling(bench, "bash", command="ls").call["name"] == "run_command"


def test_a_question_can_only_be_answered_in_words(bench):
    asked = ruling(bench, "ask_user", question="Which?")
    assert (asked.verdict, asked.choices, asked.reason) == ("ask", ("respond",), "Which?")


@pytest.mark.parametrize(
    ("decision", "verdict", "words"),
    [
        ({"type": "approve"}, "allow", ""),
        ({"type": "reject"}, "deny", "refused"),
        ({"type": "reject", "message": "not now"}, "deny", "not now"),
        ({"type": "respond", "message": "use make"}, "answered", "use make"),
    ],
)
def test_a_decision_settles_its_call(bench, decision, verdict, words):
    asked = [ruling(bench, "run_command", command="ls")]
    settled = answered(asked, {"decisions": [decision]}, Voice(bench))
    assert settled is not None
    assert settled[0].verdict == verdict and words in settled[0].reason


def test_an_edited_call_runs_as_the_human_wrote_it_and_says_so(bench):
    asked = [ruling(bench, "run_command", command="rm x")]
    edit = {"type": "edit", "edited_action": {"name": "run_command", "args": {"command": "ls"}}}
    settled = answered(asked, {"decisions": [edit]}, Voice(bench))
    assert settled is not None
    assert (settled[0].verdict, settled[0].call["args"]) == ("allow", {"command": "ls"})
    assert "changed this call" in settled[0].call["notice"]


def test_an_edited_call_is_checked_again(bench):
    asked = [ruling(bench, "run_command", command="ls")]
    edit = {"type": "edit", "edited_action": {"args": {"command": "rm -rf /"}}}
    settled = answered(asked, {"decisions": [edit]}, Voice(bench))
    assert settled is not None and settled[0].verdict == "deny"


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        {"decisions": []},
        {"decisions": [{"type": "approve"}, {"type": "approve"}]},
        {"decisions": [{"type": "nonsense"}]},
        {"decisions": [{"type": "edit"}]},
        {"decisions": [{"type": "edit", "edited_action": {"name": "edit", "args": {}}}]},
    ],
)
def test_an_answer_that_does_not_fit_is_asked_for_again(bench, answer):
    assert answered([ruling(bench, "run_command", command="ls")], answer, Voice(bench)) is None


def test_a_question_cannot_be_approved(bench):
    asked = [ruling(bench, "ask_user", question="Which?")]
    assert answered(asked, {"decisions": [{"type": "approve"}]}, Voice(bench)) is None


CALL = {
    "id": "c1",
    "name": "run_command",
    "args": {"command": "ls"},
    "notice": "",
    "commands": ["ruff"],
    "sandbox": "bubblewrap",
}


@pytest.mark.parametrize(
    "other",
    [
        {"id": "c2"},
        {"name": "edit"},
        {"args": {"command": "ls "}},
        {"args": {"command": "ls", "outside_sandbox": True}},
        {"commands": ["black"]},
        {"commands": []},
        {"sandbox": ""},
        {"files": ["x"]},
    ],
)
def test_an_answer_binds_to_the_call_to_the_letter(other):
    first, second = (shown(Ruling(call, "ask")) for call in (CALL, {**CALL, **other}))
    assert first != second and ids_of([first]) == {"c1"}


def refused(call, bench):
    tool = TOOLS[call["name"]]
    return refused_by_now(call, tool, decided_now(call, tool, bench), bench)


def test_a_call_of_an_older_thread_without_these_facts_may_run(bench):
    call = {"id": "c1", "name": "run_command", "args": {"command": "make"}, "notice": ""}
    assert refused(call, bench) == ""


def test_what_was_allowed_inside_a_sandbox_does_not_run_without_it(bench):
    refusal = refused(CALL, bench)
    assert "bubblewrap" in refusal and "call it again" in refusal
    assert refused({**CALL, "name": "read_file"}, bench) == ""


EDIT = {"path": "a/pre-commit", "content": "x"}


def test_a_link_that_comes_on_the_way_leads_no_allowed_edit_elsewhere(bench):
    call = ruling(bench, "write_file", **EDIT).call
    assert refused(call, bench) == ""
    (bench.workspace.root / ".git/hooks").mkdir(parents=True)
    (bench.workspace.root / "a").symlink_to(".git/hooks")
    assert "another file" in refused(call, bench)
    bench.policy = Policy("auto")
    assert "another file" in refused(call, bench)


@pytest.mark.parametrize("after_edit", [{}, {"*": ["ls"]}])
def test_what_must_be_asked_by_now_was_not_asked_so_it_does_not_run(bench, after_edit):
    bench.policy = replace(bench.policy, after_edit=after_edit)
    call = ruling(bench, "write_file", **EDIT).call
    (bench.workspace.root / ".git").mkdir()
    (bench.workspace.root / ".git/config").write_text("[core]\n\thooksPath = a\n")
    assert "one to be asked" in refused(call, bench)
    assert refused(ruling(bench, "write_file", **EDIT).call, bench) == ""


def test_a_command_that_would_change_hooks_by_now_does_not_run(bench):
    bench.policy = Policy("auto")
    call = ruling(bench, "run_command", command="cp x a/pre-commit").call
    (bench.workspace.root / ".git/hooks").mkdir(parents=True)
    (bench.workspace.root / "a").symlink_to(".git/hooks")
    assert "one to be asked" in refused(call, bench)


def test_a_stricter_mode_holds_for_what_is_decided_later(bench):
    call = ruling(bench, "write_file", **EDIT).call
    bench.policy = Policy("ask")
    assert refused(call, bench) == ""
