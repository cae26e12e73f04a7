from pathlib import Path

import pytest

from maxagent.tools.builtin.session.attempt_completion import attempt_completion
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    return ToolRun(Workspace(tmp_path), "c", tmp_path)


async def test_the_result_is_noted(run: ToolRun) -> None:
    result = await invoke(attempt_completion, {"result": "Fixed.", "command": "make run"}, run)
    assert (result.output, result.metadata["command"]) == ("Fixed.", "make run")
    assert result.update == {"completion": "Fixed."}


async def test_an_empty_result_is_refused(run: ToolRun) -> None:
    result = await invoke(attempt_completion, {"result": " "}, run)
    assert ("`result` is empty" in result.error, result.update) == (True, {})
