"""A tool says which paths a call names."""

import pytest

from maxagent.tools.definition import extract_paths, tool
from maxagent.tools.result import CallResult, ToolError
from maxagent.tools.tool_run import Run


@tool("edit", paths=("path", "other"))
async def plain(path: str, other: str = "", *, run: Run) -> CallResult:
    """A tool with two paths."""
    return CallResult()


def found(args: object) -> list[str]:
    if args == {"patch": "bad"}:
        raise ToolError("bad")
    return ["a", "b"]


@tool("edit", paths=found)
async def finding(patch: str, *, run: Run) -> CallResult:
    """A tool with paths inside an argument."""
    return CallResult()


@tool("talk")
async def talking(question: str, *, run: Run) -> CallResult:
    """A tool without paths."""
    return CallResult()


@pytest.mark.parametrize(
    ("subject", "args", "names"),
    [
        (plain, {"path": "x"}, ["x"]),
        (plain, {"path": "x", "other": "y", "more": "z"}, ["x", "y"]),
        (plain, {"path": "", "other": ["y"]}, []),
        (plain, {}, []),
        (finding, {"patch": "good"}, ["a", "b"]),
        (finding, {"patch": "bad"}, []),
        (talking, {"question": "x"}, []),
    ],
)
def test_the_paths_of_a_call_are_named(subject, args: dict[str, object], names: list[str]) -> None:
    assert extract_paths(subject, args) == names
