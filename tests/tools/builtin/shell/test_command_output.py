from pathlib import Path

import pytest

from maxagent.tools.builtin.shell.command_output import command_output
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    (outputs / "call_1.txt").write_bytes(b"".join(b"line %d\n" % n for n in range(1, 1201)))
    (outputs / "call_2.txt").write_bytes(b"x" * 5000 + b"\n\x1b[31mred\nlast")
    return ToolRun(workspace=Workspace(tmp_path), call_id="c", outputs=outputs)


async def read(run: ToolRun, identity: str, **args: object) -> CallResult:
    return await invoke(command_output, {"id": identity, **args}, run)


async def test_a_range_of_lines_is_read(run: ToolRun) -> None:
    result = await read(run, "call_1", start_line=7, end_line=8)
    assert (result.output, result.metadata) == ("line 7\nline 8\n", {"output_file": "call_1"})


async def test_a_long_range_says_where_to_go_on(run: ToolRun) -> None:
    lines = (await read(run, "call_1", start_line=100)).output.splitlines()
    assert (lines[0], lines[-2]) == ("line 100", "line 599")
    assert lines[-1] == "[… more: go on with start_line=600 …]"


async def test_long_lines_are_cut_and_control_characters_go(run: ToolRun) -> None:
    first, *remainder = (await read(run, "call_2")).output.splitlines()
    assert (first, remainder) == ("x" * 2000 + " [… 3,001 bytes …]", ["red", "last"])


@pytest.mark.parametrize(
    ("identity", "args", "problem"),
    [
        ("call_9", {}, "no output is stored as `call_9`; stored are "),
        ("../call_1", {}, "no output is stored as `___call_1`"),
        ("call_1", {"start_line": 1201}, "the output has fewer than 1201 lines"),
        ("call_1", {"start_line": 0}, "lines count from 1"),
        ("call_1", {"start_line": 5, "end_line": 4}, "lines count from 1"),
        ("call_1", {"start_line": 10**30}, "lines count from 1"),
    ],
)
async def test_what_is_not_there_is_refused(
    identity: str, args: dict[str, object], problem: str, run: ToolRun
) -> None:
    assert problem in (await read(run, identity, **args)).error


async def test_without_any_stored_output_that_is_reported(tmp_path: Path) -> None:
    run = ToolRun(workspace=Workspace(tmp_path), call_id="c", outputs=tmp_path / "none")
    assert "only outputs too long for the answer are stored" in (await read(run, "x")).error
