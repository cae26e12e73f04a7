import asyncio
from pathlib import Path
from typing import Literal

import pytest
from langchain_core.tools import tool as langchain_tool

from maxagent.tools.definition import tool
from maxagent.tools.result import CallResult, ToolError
from maxagent.tools.runtime.invoke import MAX_ANSWER_BYTES, invoke, render_for_model
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
