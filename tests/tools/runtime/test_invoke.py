import asyncio
import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from langchain_core.tools import StructuredTool
from langchain_core.tools import tool as langchain_tool

from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.definition import tool
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.permissions.policy import Policy
from maxagent.tools.result import CallResult, ToolError
from maxagent.tools.runtime.invoke import (
    MAX_ANSWER_BYTES,
    MAX_SHOWN_CHARACTERS,
    invoke,
    render_for_model,
)
from maxagent.tools.tool_run import Run, ToolRun
from maxagent.tools.workspace import Workspace


@tool("read")
async def greet(
    name: str, how: Literal["hi", "bye"] = "hi", times: int = 1, *, run: Run
) -> CallResult:
    """Greet."""
    if name == "nobody":
        raise ToolError("nobody is there; name somebody")
    if name == "crash":
        raise KeyError("oops")
    if name == "cancelled":
        raise asyncio.CancelledError
    return CallResult(f"{how} {name}" * times, metadata={"call": run.call_id})


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    return ToolRun(workspace=Workspace(tmp_path), call_id="c1", outputs=tmp_path / "outputs")


async def test_a_tool_runs_with_what_it_is_given(run: ToolRun) -> None:
    result = await invoke(greet, {"name": "Ada", "times": "2"}, run)
    assert (result.output, result.ok, result.metadata) == ("hi Adahi Ada", True, {"call": "c1"})


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({}, "`name`: Field required"),
        ({"name": "Ada", "times": "many"}, "`times`: Input should be a valid integer"),
        ({"name": "Ada", "how": "yo"}, "`how`: Input should be 'hi' or 'bye'"),
        ({"name": "Ada", "tims": 2}, "there is no argument `tims` (`times`?)"),
        ({"name": "Ada", "zzz": 2}, "there is no argument `zzz`."),
        ({"name": "Ada", "run": None}, "there is no argument `run`"),
    ],
)
async def test_wrong_arguments_are_named_with_right_ones(
    args: dict[str, object], problem: str, run: ToolRun
) -> None:
    result = await invoke(greet, args, run)
    assert problem in result.error
    assert (
        'It takes greet(name: string, how: "hi" | "bye" = "hi", times: integer = 1)' in result.error
    )


CALL = {"type": "tool_call", "id": "1", "name": "f"}


@pytest.mark.parametrize(
    "args",
    [
        {"path": "safe"},
        {"path": "safe", "type": "tool_call"},
        {"path": "safe", **CALL, "args": {"path": "other"}},
        {**CALL, "args": {"path": "other"}},
        {"path": "safe", "type": "tool_call_chunk", "args": '{"path": "other"}'},
    ],
)
async def test_arguments_are_never_taken_for_a_call(args: dict[str, object], run: ToolRun) -> None:
    async def note(**arguments: object) -> str:
        return json.dumps(arguments)

    schema = {"type": "object", "properties": {name: {} for name in args}}
    tool = StructuredTool(name="f", description="d", args_schema=schema, coroutine=note)
    result = await invoke(tool, args, run)
    assert result.ok and json.loads(result.output) == args


async def test_a_refusal_is_the_error(run: ToolRun) -> None:
    result = await invoke(greet, {"name": "nobody"}, run)
    assert (result.ok, result.error) == (False, "nobody is there; name somebody")


async def test_crash_is_error_that_names_tool(run: ToolRun) -> None:
    result = await invoke(greet, {"name": "crash"}, run)
    assert result.error == "internal error in greet: KeyError: 'oops'"


async def test_cancellation_passes(run: ToolRun) -> None:
    with pytest.raises(asyncio.CancelledError):
        await invoke(greet, {"name": "cancelled"}, run)


async def test_a_foreign_tool_answers_in_text(run: ToolRun) -> None:
    @langchain_tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @langchain_tool
    def blocks() -> list[dict[str, str]]:
        """Answer in blocks."""
        return [{"type": "text", "text": "one"}, {"type": "image", "base64": "AAAA"}]

    assert (await invoke(add, {"a": 1, "b": 2}, run)).output == "3"
    assert (await invoke(blocks, {}, run)).output == "one\n[image]"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (CallResult("out"), "out"),
        (CallResult("", "bad"), "Error: bad"),
        (CallResult("out\0put\ud800", "exit code 1"), "Error: exit code 1\n\noutput?"),
    ],
)
def test_the_model_reads_error_and_output(result: CallResult, text: str) -> None:
    assert render_for_model(result) == text


def test_what_the_model_reads_is_bounded() -> None:
    text = render_for_model(CallResult("é\n" * MAX_ANSWER_BYTES))
    assert "lines cut; ask for less" in text
    assert len(text.encode()) < MAX_ANSWER_BYTES + 200


@pytest.fixture
def edit_run(tmp_path: Path) -> ToolRun:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("one\ntwo\n")
    seen = {"a.txt": hash_content(b"one\ntwo\n")}
    return ToolRun(Workspace(project), "c1", tmp_path / "outputs", seen=seen)


async def edited(edit_run: ToolRun, *commands: str, new: str = "TWO") -> CallResult:
    policy = Policy("auto", after_edit={"*.txt": list(commands)})
    args = {"file_path": "a.txt", "old_string": "two", "new_string": new}
    return await invoke(edit, args, replace(edit_run, policy=policy))


def text(edit_run: ToolRun) -> str:
    return (edit_run.workspace.root / "a.txt").read_text()


async def test_diff_and_hash_include_changes_by_checks(edit_run) -> None:
    result = await edited(edit_run, "sed -i s/TWO/Zwei/ {file}")
    assert text(edit_run) == "one\nZwei\n"
    assert "-two\n+Zwei\n" in result.metadata["diff"] and "TWO" not in result.metadata["diff"]
    assert (result.metadata["added"], result.metadata["removed"]) == (1, 1)
    assert result.seen == {"a.txt": hash_content(b"one\nZwei\n")}
    assert "the checks changed `a.txt`" in result.output and "-TWO\n+Zwei" in result.output


async def test_the_diff_applies_to_what_was_there_before(edit_run: ToolRun, tmp_path: Path) -> None:
    result = await edited(edit_run, "printf 'three' >> {file}")
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    apply = ["git", "apply", "-"]
    subprocess.run(apply, cwd=tmp_path, input=result.metadata["diff"], text=True, check=True)
    assert (tmp_path / "a.txt").read_text() == text(edit_run) == "one\nTWO\nthree"


async def test_a_quiet_check_that_succeeds_adds_nothing(edit_run: ToolRun) -> None:
    plain = await edited(edit_run)
    (edit_run.workspace.root / "a.txt").write_text("one\ntwo\n")
    quiet = await edited(edit_run, "true")
    assert (quiet.output, quiet.seen) == (plain.output, plain.seen)
    assert quiet.metadata == {
        **plain.metadata,
        "checks": [{"command": "true", "exit_code": 0}],
    }


async def test_failed_check_is_reported_and_edit_stands(edit_run) -> None:
    result = await edited(edit_run, "echo fine", "echo {file}:2: bad; exit 3", "exit 1")
    assert result.ok and text(edit_run) == "one\nTWO\n"
    assert "After the edit `echo fine` said:\nfine" in result.output
    failed = "After the edit `echo a.txt:2: bad; exit 3` failed, exit code 3:\na.txt:2: bad"
    assert failed in result.output and result.output.endswith("`exit 1` failed, exit code 1")
    assert [check["exit_code"] for check in result.metadata["checks"]] == [0, 3, 1]


async def test_denied_check_is_skipped_and_reported_to_model(edit_run: ToolRun) -> None:
    (edit_run.workspace.root / ".env").write_text("KEY=secret-words")
    result = await edited(edit_run, "cat .env", "echo next")
    assert "secret-words" not in result.output and "`echo next` said" in result.output
    assert "`cat .env` was not run: it names `.env`" in result.output
    assert [check["exit_code"] for check in result.metadata["checks"]] == [None, 0]


async def test_a_check_that_takes_too_long_is_stopped(edit_run: ToolRun) -> None:
    result = await edited(replace(edit_run, command_timeout=0.2), "sleep 60")
    assert result.ok and "`sleep 60` failed, stopped after 0.2 seconds" in result.output


async def test_a_long_output_is_cut_and_kept(edit_run: ToolRun) -> None:
    result = await edited(edit_run, "seq 100000")
    assert len(result.output) < 30_000 and "command_output" in result.output
    retained = edit_run.outputs / "c1-check-1.txt"
    assert retained.read_text().endswith("100000\n")


async def test_after_a_refused_edit_nothing_is_run(edit_run: ToolRun) -> None:
    result = await edited(replace(edit_run, seen={}), "touch ran")
    assert not result.ok and not (edit_run.workspace.root / "ran").exists()


async def test_file_changed_too_much_becomes_unknown(edit_run: ToolRun) -> None:
    result = await edited(edit_run, f"seq {MAX_SHOWN_CHARACTERS} >> {{file}}")
    assert "a lot: read again" in result.output and len(result.output) < 1_000
    assert result.seen == {} and "+9999\n" in result.metadata["diff"]


async def test_a_check_may_remove_the_file(edit_run: ToolRun) -> None:
    result = await edited(edit_run, "rm {file}")
    assert result.ok and result.metadata["diff"].startswith("--- a/a.txt\n+++ /dev/null\n")


async def test_check_may_turn_file_into_binary(edit_run: ToolRun) -> None:
    result = await edited(edit_run, "printf 'a\\0b\\n' > {file}")
    assert result.ok and "-two\n" in result.metadata["diff"]


async def test_a_check_that_cannot_start_is_reported(edit_run: ToolRun) -> None:
    result = await edited(edit_run, "", "x" * 200_000)
    assert result.ok and result.output.count("was not run: ") == 2


async def test_a_new_file_is_checked_too(edit_run: ToolRun) -> None:
    policy = Policy("auto", after_edit={"*.md": ["echo checked > {file}"]})
    args = {"path": "new.md", "content": "x\n"}
    result = await invoke(write_file, args, replace(edit_run, policy=policy))
    assert (edit_run.workspace.root / "new.md").read_text() == "checked\n"
    assert "+++ b/new.md" in result.metadata["diff"] and "+checked" in result.metadata["diff"]
    assert result.seen == {"new.md": hash_content(b"checked\n")}


async def test_what_runs_is_shown_as_it_runs(edit_run: ToolRun) -> None:
    names: list[str] = []
    await edited(replace(edit_run, emit=names.append), "echo hello")
    assert "".join(names) == "$ echo hello\nhello\n"
