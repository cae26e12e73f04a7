"""`mcode edit` as a real process against a real server: named files, diffs, questions, kills."""

import json
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from program import Ended, Program
from provider import Provider, Request
from terminal import CTRL_D, READY, Terminal

from maxagent import trust

Call = dict[str, Any]
DONE = {"text": "Renamed it."}


def reads(path: str = "a.py") -> Call:
    return {"name": "read_file", "args": {"path": path}}


def replaces(old: str, new: str, path: str = "a.py") -> Call:
    return {"name": "edit", "args": {"file_path": path, "old_string": old, "new_string": new}}


def writes(path: str, content: str) -> Call:
    return {"name": "write_file", "args": {"path": path, "content": content}}


def turns(*calls: Call) -> list[dict[str, Any]]:
    return [{"tool_calls": [call]} for call in calls] + [DONE]


@pytest.fixture(autouse=True)
def files(program: Program) -> None:
    (program.project / "a.py").write_text("x = 1\ny = x\n")
    (program.project / "b.py").write_text("z = 1\n")
    (program.project / "AGENTS.md").write_text("# Rules\n")
    trust(program.project, program.home)


@pytest.fixture
def edit(program: Program, provider: Provider):
    def run(*arguments: str, output: str = "stream-json", **environ: str) -> Ended:
        model = ("--model", "openai/served", "--base-url", provider.url)
        return program.run("edit", *arguments, "--output", output, *model, **environ)

    return run


def content(program: Program, name: str = "a.py") -> str:
    return (program.project / name).read_text()


def test_apply_changes_the_file_without_asking(edit, program, provider) -> None:
    provider.script(turns(reads(), replaces("x = 1", "x = 2")))
    ended = edit("a.py", "Make x two", "--apply")
    assert (ended.code, ended.outcome, ended.last["graph"]) == (0, "unverified", "edit")
    assert ended.last["files"] == [{"path": "a.py", "kind": "modified"}]
    assert "-x = 1\n+x = 2" in ended.last["diff"] and content(program) == "x = 2\ny = x\n"
    first = provider.requests[0].body["messages"]
    assert first[1]["content"] == "Make x two\n\nThe files that you may change: `a.py`"
    offered = {tool["function"]["name"] for tool in provider.requests[0].body["tools"]}
    assert {"read_file", "edit", "write_file"} <= offered and "run_command" not in offered


def test_backup_is_saved_and_shown_unless_disabled(edit, program, provider) -> None:
    provider.script(turns(reads(), replaces("x = 1", "x = 2")))
    ended = edit("a.py", "Make x two", "--apply", output="text")
    retained = next(line for line in ended.stderr.splitlines() if "backup: " in line)
    assert Path(retained.partition(": ")[2]).read_text() == "x = 1\ny = x\n"
    assert "does not run tests" in ended.stderr and ended.stdout == "Renamed it.\n"
    provider.script(turns(reads(), replaces("x = 2", "x = 3")))
    ended = edit("a.py", "Make x three", "--apply", "--no-backup", output="text")
    assert ended.code == 0 and "backup: " not in ended.stderr


def test_edit_without_apply_asks_with_each_diff(edit, program, provider) -> None:
    provider.script(turns(reads(), replaces("x = 1", "x = 2"), replaces("y = x", "y = 2")))
    parked = edit("a.py", "Inline x")
    assert (parked.code, parked.last["kind"]) == (4, "approval")
    assert "-x = 1\n+x = 2" in parked.last["action_requests"][0]["diff"]
    assert content(program) == "x = 1\ny = x\n"
    parked = program.resume(parked.last["thread_id"], "--approve")
    assert parked.code == 4 and "+y = 2" in parked.last["action_requests"][0]["diff"]
    ended = program.resume(parked.last["thread_id"], "--approve")
    assert (ended.code, ended.last["graph"], content(program)) == (0, "edit", "x = 2\ny = 2\n")


def test_parked_question_shows_diff_and_how_to_answer(edit, provider) -> None:
    provider.script(turns(reads(), replaces("x = 1", "x = 2")))
    parked = edit("a.py", "Make x two", output="text")
    assert parked.code == 4 and "  -x = 1\n  +x = 2\n" in parked.stderr
    assert "--approve" in parked.stderr


def test_a_refused_change_ends_with_nothing_changed(edit, program, provider) -> None:
    provider.script(turns(reads(), replaces("x = 1", "x = 2")))
    parked = edit("a.py", "Make x two")
    ended = program.resume(parked.last["thread_id"], "--reject", "keep it", output="text")
    assert (ended.code, content(program)) == (1, "x = 1\ny = x\n")
    assert "no changes" in ended.stderr
    assert "keep it" in provider.requests[2].body["messages"][-1]["content"]


def test_edit_without_changes_exits_1_with_reason(edit, provider) -> None:
    provider.script([{"text": "x is two already."}])
    ended = edit("a.py", "Make x two", output="text")
    assert (ended.code, ended.stdout) == (1, "x is two already.\n")
    assert "no changes" in ended.stderr


def test_impossible_edit_is_not_asked_and_model_retries(edit, provider) -> None:
    provider.script(turns(reads(), replaces("x = 9", "x = 2"), replaces("x = 1", "x = 2")))
    parked = edit("a.py", "Make x two")
    refused = [item for item in parked.told("tool_result") if not item["ok"]]
    assert parked.code == 4 and len(parked.told("question")) == 1 and len(refused) == 1
    assert "+x = 2" in parked.last["action_requests"][0]["diff"]


def test_only_the_named_files_are_changed(edit, program, provider) -> None:
    provider.script(turns(reads("b.py"), replaces("z = 1", "z = 2", "b.py"), writes("c.py", "")))
    ended = edit("a.py", "Make x two", "--apply")
    refusals = [item["error"] for item in ended.told("tool_result") if not item["ok"]]
    assert ended.code == 1 and len(refusals) == 2
    assert all("only these files can be changed: `a.py`" in refusal for refusal in refusals)
    assert content(program, "b.py") == "z = 1\n" and not (program.project / "c.py").exists()


def test_several_files_and_a_new_one_are_changed(edit, program, provider) -> None:
    calls = [
        replaces("x = 1", "x = 2"),
        replaces("z = 1", "z = 2", "b.py"),
        writes("new.py", "1\n"),
    ]
    provider.script([{"tool_calls": [reads(), reads("b.py")]}, {"tool_calls": calls}, DONE])
    ended = edit("a.py", "b.py", "sub/../new.py", "Make all two", "-a")
    assert ended.code == 0
    assert [file["path"] for file in ended.last["files"]] == ["a.py", "b.py", "new.py"]
    asked = provider.requests[0].body["messages"][1]["content"]
    assert asked.endswith("`a.py`, `b.py`, `new.py` (there is none yet)")


def test_a_protected_file_is_asked_even_with_apply(edit, program, provider) -> None:
    provider.script(turns(reads("AGENTS.md"), replaces("Rules", "Advice", "AGENTS.md")))
    parked = edit("AGENTS.md", "Soften", "--apply")
    assert (parked.code, content(program, "AGENTS.md")) == (4, "# Rules\n")
    assert "configures this agent" in parked.last["action_requests"][0]["description"]
    assert "+# Advice" in parked.last["action_requests"][0]["diff"]


def test_project_checks_run_after_the_edit(edit, program, provider) -> None:
    check = "{'*.py': [\"sed -i 's/= 2/= two/' {file}\"]}"
    (program.project / ".llc.yaml").write_text(f"after_edit: {check}\n")
    provider.script(turns(reads(), replaces("x = 1", "x = 2")))
    parked = edit("a.py", "Make x two", "--apply", "--trust")
    assert parked.code == 4 and content(program) == "x = 1\ny = x\n"
    assert "`sed -i 's/= 2/= two/' a.py`" in parked.last["action_requests"][0]["description"]
    assert any("after_edit" in notice["text"] for notice in parked.told("notice"))
    ended = program.resume(parked.last["thread_id"], "--approve")
    assert ended.code == 0 and "+x = two\n" in ended.last["diff"]
    assert "+x = two\n" in ended.told("tool_result")[0]["metadata"]["diff"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (["../a.py", "x"], "is outside the project"),
        ([".", "x"], "`.` is a folder"),
        (["new/", "x"], "`new/` is a folder"),
        ([".env", "x"], "ignore patterns"),
        (["a.py", " "], "the request is empty"),
        (["a.py"], "missing argument"),
        (["a.py", "x", "-C", "/no/where"], "is not a folder"),
    ],
)
def test_wrong_input_is_reported_and_no_thread_begins(edit, program, text, message) -> None:
    ended = edit(*text)
    assert (ended.code, ended.stdout) == (2, "") and message in ended.stderr
    assert json.loads(program.run("threads", "list", "--json").stdout) == []


def test_edit_crashed_midway_continues_where_it_stopped(
    program: Program, provider: Provider
) -> None:
    asked = threading.Event()
    answers = iter(turns(reads(), replaces("x = 1", "x = 2"))[:2])

    def answer(request: Request) -> Mapping[str, Any]:
        if (turn := next(answers, None)) is not None:
            return turn
        asked.set()
        return {"text": "I", "hang_after": 1}

    provider.script(answer)
    process = program.start("edit", "a.py", "Inline x", "--apply", "--base-url", provider.url)
    assert asked.wait(60)
    process.kill()
    data = json.loads(program.end(process).stdout.splitlines()[0])
    provider.script(turns(replaces("y = x", "y = 2")))
    ended = program.resume(data["thread_id"])
    assert (ended.code, content(program)) == (0, "x = 2\ny = 2\n")
    assert [item["args"]["new_string"] for item in ended.told("tool_result")] == ["y = 2"]


def test_it_is_a_thread_like_any_other(edit, program, provider) -> None:
    provider.script(turns(reads(), replaces("x = 1", "x = 2")))
    thread = edit("a.py", "Make x two", "--apply").last["thread_id"]
    (row,) = json.loads(program.run("threads", "list", "--json").stdout)
    assert (row["thread_id"], row["title"], row["graph"]) == (thread, "a.py: Make x two", "edit")
    assert (row["status"], row["options"]["files"]) == ("unverified", ["a.py"])
    again = program.resume(thread, output="json")
    assert (again.code, again.last["graph"], again.last["files"][0]["path"]) == (0, "edit", "a.py")


def test_it_is_undone_like_any_other(edit, program, provider) -> None:
    provider.script(turns(reads(), replaces("x = 1", "x = 2")))
    assert edit("a.py", "Make x two", "--apply").code == 0
    undone = program.run("undo", "--yes")
    assert (undone.code, content(program)) == (0, "x = 1\ny = x\n")


@pytest.fixture
def terminal(program: Program, provider: Provider) -> Iterator[Terminal]:
    provider.script(turns(reads(), replaces("x = 1", "x = 2")))
    command = [sys.executable, "-m", "maxagent", "edit", "a.py", "Make x two"]
    model = ["--model", "openai/served", "--base-url", provider.url]
    with Terminal([*command, *model], program.project, program.environ) as opened:
        yield opened


def test_at_a_terminal_the_coloured_diff_is_asked(terminal: Terminal, program: Program) -> None:
    output = terminal.until(READY)
    for color, sign in ((31, "−"), (32, "+")):
        assert f"{color}m  1 {sign} x = " in output
    assert content(program) == "x = 1\ny = x\n"
    terminal.type("y")
    assert (terminal.end(), content(program)) == (0, "x = 2\ny = x\n")


def test_ctrl_d_leaves_the_question_for_later(terminal: Terminal, program: Program) -> None:
    terminal.until(READY)
    terminal.type(CTRL_D)
    assert (terminal.end(), content(program)) == (4, "x = 1\ny = x\n")
    how = re.search(r"mcode\s+resume\s+\w+\s+--question\s+(\w+)", terminal.shown)
    assert how
    ended = program.run("resume", "--approve", "--question", how[1], "--output", "json")
    assert (ended.code, content(program)) == (0, "x = 2\ny = x\n")
