from dataclasses import dataclass, replace

import pytest

from maxagent.nodes.approval.evaluate import (
    CallEvaluation,
    apply_answer,
    compute_binding,
    evaluate_call,
    explain_refusal,
    extract_ids,
    recheck_call,
)
from maxagent.tools.permissions.policy import Policy
from maxagent.tools.runtime.registry import load_all_tools
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.workspace import Workspace

TOOLS = {tool.name: tool for tool in load_all_tools()}


@dataclass
class Bench:
    workspace: Workspace
    policy: Policy
    sandbox: Sandbox


@dataclass
class Voice:
    deps: Bench
    tools = TOOLS


@pytest.fixture
def deps(tmp_path):
    workspace = Workspace(tmp_path)
    return Bench(workspace, Policy("edits"), Sandbox(workspace, tmp_path / "home"))


def evaluate_named(deps, name, **args):
    return evaluate_call({"name": name, "args": args, "id": "c1", "type": "tool_call"}, Voice(deps))


def test_unknown_tool_is_refused_with_available_tools(deps):
    refused = evaluate_named(deps, "greb", regex="x")
    assert refused.verdict == "deny"
    assert "did you mean `grep`" in refused.reason and "run_command" in refused.reason


def test_an_alias_is_ruled_under_its_own_name(deps):
    assert evaluate_named(deps, "bash", command="ls").call["name"] == "run_command"


def test_the_model_can_have_its_command_asked(deps):
    deps.policy = replace(deps.policy, mode="auto")
    for wanted, verdict in ((True, "ask"), (False, "allow")):
        asked = evaluate_named(deps, "execute_command", command="make", requires_approval=wanted)
        assert asked.verdict == verdict and "requires_approval" not in asked.call["args"]
    denied = evaluate_named(deps, "execute_command", command="rm -rf /", requires_approval=False)
    assert denied.verdict == "deny"


@pytest.mark.parametrize(
    ("name", "args", "field"),
    [
        ("ask_user", {}, "question"),
        ("ask_user", {"question": ""}, "question"),
        ("ask_user", {"question": " \n"}, "question"),
        ("ask_user", {"question": None}, "question"),
        ("ask_user", {"text": "Which?"}, "question"),
        ("ask_followup_question", {"options": ["a"]}, "question"),
        ("plan_mode_respond", {}, "response"),
        ("plan_mode_respond", {"options": ["a"]}, "response"),
        ("plan_mode_respond", {"response": "  "}, "response"),
    ],
)
def test_an_empty_question_is_not_asked(deps, name, args, field):
    denied = evaluate_named(deps, name, **args)
    assert denied.verdict == "deny" and f"`{field}` is empty" in denied.reason


def test_a_question_can_only_be_answered_in_words(deps):
    asked = evaluate_named(deps, "ask_user", question="Which?")
    assert (asked.verdict, asked.choices, asked.reason) == ("ask", ("respond",), "Which?")


@pytest.mark.parametrize(
    ("decision", "verdict", "words"),
    [
        ({"type": "approve"}, "allow", ""),
        ({"type": "reject"}, "deny", "refused this call. Do not try it again in another form."),
        (
            {"type": "reject", "message": "name it b"},
            "deny",
            "call. Do what they say instead: name it",
        ),
        ({"type": "respond", "message": "use make"}, "answered", "use make"),
    ],
)
def test_a_decision_settles_its_call(deps, decision, verdict, words):
    asked = [evaluate_named(deps, "run_command", command="ls")]
    settled = apply_answer(asked, {"decisions": [decision]}, Voice(deps))
    assert settled is not None
    assert settled[0].verdict == verdict and words in settled[0].reason


LONG = "".join(f"line {number}\n" for number in range(40))


@pytest.mark.parametrize(
    ("before", "after", "notice"),
    [
        ({"command": "ls"}, {"command": "ls -l"}, '`command` was "ls -l"'),
        ({"command": "ls"}, {"command": "列出"}, '`command` was "列出"'),
        ({"command": "ls", "cwd": "a"}, {"command": "ls"}, "`cwd` was left out"),
        ({"command": "ls"}, {"command": "ls", "cwd": "a"}, '`cwd` was "a"'),
        ({"command": LONG}, {"command": f"{LONG}more\n"}, "@@ -38,3 +38,4 @@"),
        ({"command": LONG}, {"command": LONG.replace("37\n", "3x\n")}, "-line 37\n+line 3x"),
    ],
)
def test_edited_arguments_are_described_by_their_change(deps, before, after, notice):
    asked = [replace(evaluate_named(deps, "run_command", **before), verdict="ask")]
    decision = {"type": "edit", "edited_action": {"name": "run_command", "args": after}}
    settled = apply_answer(asked, {"decisions": [decision]}, Voice(deps))
    assert settled is not None
    text = settled[0].call["notice"]
    assert notice in text and "keep their change" in text and len(text) < 400


def test_edited_call_runs_with_human_arguments_and_notice(deps):
    asked = [evaluate_named(deps, "run_command", command="rm x")]
    edit = {"type": "edit", "edited_action": {"name": "run_command", "args": {"command": "ls"}}}
    settled = apply_answer(asked, {"decisions": [edit]}, Voice(deps))
    assert settled is not None
    assert (settled[0].verdict, settled[0].call["args"]) == ("allow", {"command": "ls"})
    assert "changed this call" in settled[0].call["notice"]


def test_an_edited_call_is_checked_again(deps):
    asked = [evaluate_named(deps, "run_command", command="ls")]
    edit = {"type": "edit", "edited_action": {"args": {"command": "rm -rf /"}}}
    settled = apply_answer(asked, {"decisions": [edit]}, Voice(deps))
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
def test_mismatched_answer_is_not_applied(deps, answer):
    assert (
        apply_answer([evaluate_named(deps, "run_command", command="ls")], answer, Voice(deps))
        is None
    )


def test_a_question_cannot_be_approved(deps):
    asked = [evaluate_named(deps, "ask_user", question="Which?")]
    assert apply_answer(asked, {"decisions": [{"type": "approve"}]}, Voice(deps)) is None


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
def test_binding_changes_with_any_detail_of_the_call(other):
    first, second = (
        compute_binding(CallEvaluation(call, "ask")) for call in (CALL, {**CALL, **other})
    )
    assert first != second and extract_ids([first]) == {"c1"}


def refused(call, deps):
    tool = TOOLS[call["name"]]
    return explain_refusal(call, tool, recheck_call(call, tool, deps), deps)


def test_call_from_older_thread_without_facts_may_run(deps):
    call = {"id": "c1", "name": "run_command", "args": {"command": "make"}, "notice": ""}
    assert refused(call, deps) == ""


def test_call_allowed_in_sandbox_is_refused_without_it(deps):
    refusal = refused(CALL, deps)
    assert "bubblewrap" in refusal and "call it again" in refusal
    assert refused({**CALL, "name": "read_file"}, deps) == ""


EDIT = {"path": "a/pre-commit", "content": "x"}


def test_allowed_edit_is_refused_when_link_redirects_it(deps):
    call = evaluate_named(deps, "write_file", **EDIT).call
    assert refused(call, deps) == ""
    (deps.workspace.root / ".git/hooks").mkdir(parents=True)
    (deps.workspace.root / "a").symlink_to(".git/hooks")
    assert "another file" in refused(call, deps)
    deps.policy = Policy("auto")
    assert "another file" in refused(call, deps)


@pytest.mark.parametrize("after_edit", [{}, {"*": ["ls"]}])
def test_edit_that_now_needs_approval_is_refused(deps, after_edit):
    deps.policy = replace(deps.policy, after_edit=after_edit)
    call = evaluate_named(deps, "write_file", **EDIT).call
    (deps.workspace.root / ".git").mkdir()
    (deps.workspace.root / ".git/config").write_text("[core]\n\thooksPath = a\n")
    assert "one to be asked" in refused(call, deps)
    assert refused(evaluate_named(deps, "write_file", **EDIT).call, deps) == ""


def test_command_that_would_now_change_hooks_is_refused(deps):
    deps.policy = Policy("auto")
    call = evaluate_named(deps, "run_command", command="cp x a/pre-commit").call
    (deps.workspace.root / ".git/hooks").mkdir(parents=True)
    (deps.workspace.root / "a").symlink_to(".git/hooks")
    assert "one to be asked" in refused(call, deps)


def test_stricter_mode_applies_only_to_later_decisions(deps):
    call = evaluate_named(deps, "write_file", **EDIT).call
    deps.policy = Policy("ask")
    assert refused(call, deps) == ""
