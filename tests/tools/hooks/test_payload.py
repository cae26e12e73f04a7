from pathlib import Path

from maxagent.tools.hooks.payload import HookedCall, build_call_fields, build_payload

ROOT = Path("/project")


def test_fields_of_every_event() -> None:
    fields = build_payload("before_tool", "t1", ROOT)
    assert (fields["thread"], fields["folder"], fields["event"]) == (
        "t1",
        "/project",
        "before_tool",
    )
    assert (fields["session_id"], fields["cwd"]) == ("t1", "/project")
    assert fields["hook_event_name"] == "PreToolUse"


def test_a_file_is_named_as_in_claude_code() -> None:
    call = HookedCall("c1", "read_file", {"path": "a.py"}, ["a.py"])
    fields = build_call_fields(call, ROOT)
    assert fields["tool_input"] == {"path": "a.py", "file_path": "/project/a.py"}
    assert fields["args"] == {"path": "a.py"} and fields["files"] == ["a.py"]


def test_a_command_keeps_its_arguments() -> None:
    fields = build_call_fields(HookedCall("c1", "run_command", {"command": "ls"}, ["."]), ROOT)
    assert (fields["tool_name"], fields["tool_input"]) == ("Bash", {"command": "ls"})
