import json

import pytest

from maxagent import (
    Completion,
    Failure,
    Interrupted,
    MaxAgentError,
    Notice,
    Question,
    RunStarted,
    SyncRunner,
    UsageError,
    collect,
)
from maxagent.sdk.runs.result import build_result

BEGUN = RunStarted("t1", "Add", "/p", "m", "ask", resumed=False)
DONE = Completion("t1", "answered", '{"a": 1}', None, [], "")
ASKED = Question("t1", "q1", "approval", [], [])


@pytest.mark.parametrize(
    ("last", "status", "parsed"),
    [
        (DONE, "answered", {"a": 1}),
        (Completion("t1", "verified", "It adds.", {"passed": 1}, [], ""), "verified", None),
        (Completion("t1", "failed", "", None, [], ""), "failed", None),
        (ASKED, "question", None),
        (Interrupted("t1", "timeout"), "interrupted", None),
        (Notice("nothing more"), "interrupted", None),
    ],
    ids=["answer", "verified", "failed", "question", "timeout", "closed"],
)
def test_result_says_how_a_run_ended(last, status, parsed) -> None:
    result = build_result([BEGUN, last])
    assert (result.thread_id, result.status, result.parsed) == ("t1", status, parsed)
    assert (result.question is last) == (status == "question")


@pytest.mark.parametrize(("code", "kind"), [(1, MaxAgentError), (2, UsageError)])
def test_a_failed_run_is_raised_with_hint(code, kind) -> None:
    with pytest.raises(kind) as raised:
        build_result([BEGUN, Failure("no key", "set one", code, "t1")])
    assert (type(raised.value), raised.value.hint) == (kind, "set one")


async def test_collected_chat_has_answer_data_and_usage(runner, project, tmp_path) -> None:
    write = {"name": "write_file", "args": {"path": "new.txt", "content": "a\n"}}
    turns = [{"tool_calls": [write]}, {"text": '{"sum": 3}'}]
    (tmp_path / "script.json").write_text(json.dumps(turns))
    options = {"model": f"scripted/{tmp_path / 'script.json'}", "mode": "auto"}
    result = await collect(runner.chat("Add", folder=project, options=options))
    assert (result.text, result.parsed) == ('{"sum": 3}', {"sum": 3})
    assert [file["path"] for file in result.files] == ["new.txt"]
    assert result.usage and result.usage["requests"] == 2


def test_a_sync_run_is_collected(tmp_path) -> None:
    (tmp_path / "script.json").write_text('[{"text": "Hello."}]')
    with SyncRunner(home=tmp_path / "home") as runner:
        options = {"model": f"scripted/{tmp_path / 'script.json'}"}
        result = runner.collect(runner.chat("Hi", folder=tmp_path, options=options))
    assert (result.status, result.text) == ("answered", "Hello.")
