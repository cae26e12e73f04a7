import pytest

from maxagent.nodes.approval.dispatch import dispatch, group_calls, group_children
from maxagent.nodes.run.message_history import build_tool_message
from maxagent.tools.runtime.registry import load_all_tools
from maxagent.tools.workspace import Workspace

TOOLS = {tool.name: tool for tool in load_all_tools()}


def call(name, number=0, **args):
    return {"id": f"c{number}", "name": name, "args": args, "notice": ""}


def names(groups):
    return [[item["name"] for item in group] for group in groups]


@pytest.mark.parametrize(
    ("calls", "groups"),
    [
        ([], []),
        (["grep", "glob"], [["grep", "glob"]]),
        (["run_command", "run_command"], [["run_command"], ["run_command"]]),
        (["grep", "glob", "run_command", "grep"], [["grep", "glob"], ["run_command"], ["grep"]]),
        (["todowrite", "todowrite", "grep"], [["todowrite"], ["todowrite"], ["grep"]]),
    ],
)
def test_reading_calls_are_grouped_and_others_run_alone(calls, groups):
    assert names(group_calls([call(name) for name in calls], TOOLS, parallel=True)) == groups


def test_without_parallel_calls_reads_run_alone_too():
    calls = [call(name) for name in ("grep", "glob", "run_command")]
    groups = [["grep"], ["glob"], ["run_command"]]
    assert names(group_calls(calls, TOOLS, parallel=False)) == groups


def sent(command):
    return [(send.arg["call"]["name"], send.arg["then"]) for send in command.goto]


def state(**more):
    return {"request": "", "folder": "/", "role": "coder", **more}


def test_without_a_call_the_role_reads_its_answers(tmp_path):
    assert dispatch(state(), [], TOOLS, Workspace(tmp_path)).goto == "coder"


def test_reading_calls_return_to_the_role(tmp_path):
    command = dispatch(state(), [[call("grep"), call("glob")]], TOOLS, Workspace(tmp_path))
    assert sent(command) == [("grep", "coder"), ("glob", "coder")]


def test_groups_queue_and_last_one_returns_to_role(tmp_path):
    groups = [[call("run_command")], [call("grep")]]
    first = dispatch(state(), groups, TOOLS, Workspace(tmp_path))
    assert (sent(first), names(first.update["queue"])) == ([("run_command", "approve")], [["grep"]])
    last = dispatch(state(queue=first.update["queue"]), groups[1:], TOOLS, Workspace(tmp_path))
    assert (sent(last), last.update["queue"]) == ([("grep", "coder")], [])


def test_call_gets_last_seen_hashes_of_named_files(tmp_path):
    read = build_tool_message(
        "c1", "read_file", "coder", "", ok=True, seen={"a.py": "1", "b.py": "2"}
    )
    command = dispatch(
        state(messages=[read]),
        [[call("grep", path="./a.py"), call("grep", path="../outside")]],
        TOOLS,
        Workspace(tmp_path),
    )
    assert [send.arg["seen"] for send in command.goto] == [{"a.py": "1"}, {}]


def child(position, *, writes=False, isolated=False):
    task = {"agent": "a", "task": "x", "position": position, "count": 4, "writes": writes}
    return {**call("subagent"), "child": {**task, **({"isolated": True} if isolated else {})}}


@pytest.mark.parametrize(
    ("children", "groups"),
    [
        ([child(0), child(1)], [[0, 1]]),
        ([child(0, writes=True), child(1), child(2, writes=True), child(3)], [[0, 1], [2, 3]]),
        ([child(0, writes=True, isolated=True), child(1, writes=True)], [[0, 1]]),
    ],
)
def test_one_child_of_a_group_writes(children, groups):
    result = group_children(children)
    assert [[item["child"]["position"] for item in group] for group in result] == groups


def test_children_are_a_group_beside_other_calls():
    calls = [call("grep"), child(0), child(1), call("run_command")]
    groups = [["grep"], ["subagent", "subagent"], ["run_command"]]
    assert names(group_calls(calls, TOOLS, parallel=True)) == groups


def test_each_child_is_sent_with_its_profile_and_sender(tmp_path):
    beside = state(options={"max_turns": 3, "model": "m"}, usage=None, cost_allowed=0.0)
    del beside["usage"]
    command = dispatch(beside, [[child(0), child(1)]], TOOLS, Workspace(tmp_path))
    assert [send.node for send in command.goto] == ["subagent", "subagent"]
    options = command.goto[0].arg["options"]
    assert options == {"model": "m", "subagent": "a", "sender": "coder"}
