import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.settings.hook_entries import EVENTS, HookEvent
from maxagent.tools.hooks.answer import HookAnswer, parse_answer
from maxagent.tools.process.launcher import CapturedOutput


def captured(
    stdout: object = "", stderr: str = "", *, code: int = 0, timed_out: bool = False
) -> CapturedOutput:
    output = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return CapturedOutput(code, output.encode(), stderr.encode(), timed_out, False)


def specific(**fields: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


CASES: list[tuple[HookEvent, CapturedOutput, HookAnswer]] = [
    ("before_tool", captured(), HookAnswer()),
    ("before_tool", captured("just words"), HookAnswer()),
    ("after_tool", captured("formatted\n"), HookAnswer(note="formatted")),
    ("on_session_start", captured("Use tabs."), HookAnswer(note="Use tabs.")),
    ("on_stop", captured("words"), HookAnswer()),
    ("before_tool", captured("out", "why", code=2), HookAnswer("deny", "why")),
    ("before_tool", captured("out", code=2), HookAnswer("deny", "out")),
    ("before_tool", captured(code=2), HookAnswer("deny", "it gives no reason")),
    ("before_tool", captured(code=1, stderr="a\nb"), HookAnswer("failed", "exit code 1: a")),
    (
        "before_tool",
        captured(timed_out=True),
        HookAnswer("failed", "it was stopped after 5 seconds"),
    ),
    (
        "before_tool",
        captured(specific(permissionDecision="deny", permissionDecisionReason="no")),
        HookAnswer("deny", "no"),
    ),
    (
        "before_tool",
        captured(specific(permissionDecision="ask", permissionDecisionReason="sure?")),
        HookAnswer("ask", "sure?"),
    ),
    ("before_tool", captured(specific(permissionDecision="allow")), HookAnswer()),
    (
        "before_tool",
        captured(specific(permissionDecision="allow", updatedInput={"command": "rm"})),
        HookAnswer(ignored="updatedInput"),
    ),
    ("on_stop", captured({"decision": "block", "reason": "more"}), HookAnswer("deny", "more")),
    ("before_tool", captured({"decision": "approve"}), HookAnswer()),
    ("before_tool", captured({"continue": False, "stopReason": "x"}), HookAnswer("deny", "x")),
    ("after_tool", captured(specific(additionalContext="note")), HookAnswer(note="note")),
    ("after_tool", captured({"additionalContext": "note"}), HookAnswer(note="note")),
    ("after_tool", captured("[1, 2]"), HookAnswer(note="[1, 2]")),
    ("after_tool", captured({"hookSpecificOutput": 3, "reason": []}), HookAnswer()),
]


@pytest.mark.parametrize(("event", "output", "answer"), CASES)
def test_an_answer(event: HookEvent, output: CapturedOutput, answer: HookAnswer) -> None:
    assert parse_answer(event, output, 5.0) == answer


@given(st.sampled_from(EVENTS), st.binary(), st.binary(), st.integers(0, 255))
def test_any_output_is_an_answer(event: HookEvent, out: bytes, err: bytes, code: int) -> None:
    answer = parse_answer(event, CapturedOutput(code, out, err, False, False), 5.0)
    assert (answer.verdict == "failed") == (code not in (0, 2))
    assert code != 2 or (answer.verdict == "deny" and answer.reason)


json_values = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
FIELDS = ["continue", "decision", "reason", "hookSpecificOutput", "permissionDecision"]


@given(st.dictionaries(st.sampled_from(FIELDS), json_values))
def test_any_json_is_an_answer(fields: dict[str, object]) -> None:
    assert parse_answer("before_tool", captured(fields), 5.0).verdict in ("pass", "deny", "ask")


def test_a_long_answer_is_cut() -> None:
    answer = parse_answer("after_tool", captured("word " * 10_000), 5.0)
    assert len(answer.note) < 11_000 and "cut" in answer.note


NOT_UNDERSTOOD: list[object] = [
    'checked\n{"decision": "block", "reason": "no"}',
    '```json\n{"hookSpecificOutput": {"permissionDecision": "deny"}}\n```',
    {"permissionDecision": "deny"},
    {"result": {"decision": "block"}},
    {"hookSpecificOutput": {"decision": "deny"}},
    {"hookSpecificOutput": [{"permissionDecision": "deny"}]},
    {"hookSpecificOutput": {"permission_decision": "deny"}},
    {"Decision": "block"},
    {"behavior": "deny"},
    {"decision": "stop"},
    {"decision": False},
    {"continue": "false"},
    [{"decision": "deny"}],
    '{"decision": "block"',
    "DENY: no pushes on Fridays",
    "Blocked by policy",
]
UNDERSTOOD: list[tuple[object, str]] = [
    ({"decision": "Block"}, "deny"),
    ({"decision": "DENY"}, "deny"),
    ({"hookSpecificOutput": {"permissionDecision": " Deny "}}, "deny"),
    ({"hookSpecificOutput": {"permissionDecision": "rejected"}}, "deny"),
    ({"hookSpecificOutput": {"permissionDecision": "Ask"}}, "ask"),
    ({"decision": "approve", "reason": "fine"}, "pass"),
    ({"decision": None}, "pass"),
    ({"continue": True, "suppressOutput": True}, "pass"),
    ({"systemMessage": "All is well."}, "pass"),
    ("formatted 3 files", "pass"),
    ("", "pass"),
]


@pytest.mark.parametrize("output", NOT_UNDERSTOOD)
def test_decision_that_is_not_understood_asks(output: object) -> None:
    answer = parse_answer("before_tool", captured(output), 5)
    assert answer.verdict == "ask" and answer.reason.startswith("its answer is not understood: ")


@pytest.mark.parametrize(("output", "verdict"), UNDERSTOOD)
def test_decision_counts_in_any_letters(output: object, verdict: str) -> None:
    assert parse_answer("before_tool", captured(output), 5).verdict == verdict


@pytest.mark.parametrize(
    "output",
    [
        {"permission": "deny", "userMessage": "no"},
        {"permission-decision": "deny"},
        {"allow": False, "why": "no"},
        {"approved": False},
        {"blocked": True},
        {"deny": "this command"},
        {"action": "block"},
        {"status": "Forbidden"},
        {"result": {"ok": "no"}},
        {"output": json.dumps({"decision": "deny"})},
        {"results": [{"policy": "x", "outcome": "rejected"}]},
        "this command is forbidden here",
        "not allowed: rm",
    ],
)
def test_refusal_in_other_words_is_asked(output: object) -> None:
    answer = parse_answer("before_tool", captured(output), 5)
    assert answer.verdict == "ask" and answer.reason.startswith("its answer is not understood")


@pytest.mark.parametrize(
    "output",
    [
        {"allow": True},
        {"approved": True, "blocked": False},
        {"ok": True, "message": "no problem, nothing was blocked"},
        {"blocked": []},
        {"denied": 0, "checked": 12},
        {"suppressOutput": True},
        {"continue": True},
        "all 12 checks are green",
    ],
)
def test_other_words_that_refuse_nothing_pass(output: object) -> None:
    assert parse_answer("before_tool", captured(output), 5).verdict == "pass"


FAILING = [{"code": 1}, {"code": 137}, {"timed_out": True}]
AGAINST: list[object] = [
    {"continue": False, "stopReason": "no"},
    {"allow": False},
    {"ok": False, "reason": "unsafe"},
    {"approved": False},
    {"decision": "ask"},
    {"action": "stop"},
    [{"allow": False}],
    'checked\n{"ok": "no"}\n',
    '{"allow": false, "why": "it writes',
    "allow=false",
]
OF_SERVERS = [
    "curl: (7) Failed to connect to 127.0.0.1 port 9: Connection refused",
    "dial tcp 127.0.0.1:9: connect: connection refused",
    "the server refused the connection",
    "localhost refused to connect.",
    "the target machine actively refused it",
    "Permission denied (publickey).",
    "ERROR 1045: Access denied for user",
    '{"allow": true, "note": "connection refused once"}',
]


@pytest.mark.parametrize("ending", FAILING)
@pytest.mark.parametrize("output", AGAINST)
def test_failing_guard_objects_in_any_form(output: object, ending: dict[str, Any]) -> None:
    answer = parse_answer("before_tool", captured(output, **ending), 5)
    assert answer.verdict == "failed" and answer.objection
    on_stderr = captured("", output if isinstance(output, str) else json.dumps(output), **ending)
    assert parse_answer("before_tool", on_stderr, 5).objection


@pytest.mark.parametrize("output", AGAINST)
def test_guard_that_ends_well_passes_no_refusal(output: object) -> None:
    assert parse_answer("before_tool", captured(output), 5).verdict != "pass"


@pytest.mark.parametrize("ending", FAILING)
@pytest.mark.parametrize("output", OF_SERVERS)
def test_guard_without_its_server_objects_nothing(output: str, ending: dict[str, Any]) -> None:
    assert not parse_answer("before_tool", captured(output, **ending), 5).objection
    assert not parse_answer("before_tool", captured("", output, **ending), 5).objection
