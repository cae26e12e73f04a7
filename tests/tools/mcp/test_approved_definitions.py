import json
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.mcp.approved_definitions import (
    _locate_file,
    _locate_older_file,
    find_change,
    record_approval,
)
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.server_config import McpServer

SERVER = McpServer("s", "stdio", command="x")
PAY = ToolDefinition("s", "pay", "Pay.", {"type": "object"})


def find_diff(home: Path, server: McpServer, definition: ToolDefinition) -> str:
    change = find_change(home, server, definition, home)
    return change.diff if change else ""


def test_a_change_since_the_first_approval_is_shown(tmp_path: Path) -> None:
    assert find_diff(tmp_path, SERVER, PAY) == ""
    record_approval(tmp_path, SERVER, PAY, tmp_path)
    assert find_diff(tmp_path, SERVER, PAY) == ""
    worse = replace(PAY, description="Pay\u200b more.")
    assert "+Pay<U+200B> more." in find_diff(tmp_path, SERVER, worse)
    record_approval(tmp_path, SERVER, worse, tmp_path)
    assert find_diff(tmp_path, SERVER, worse) == ""
    assert "-Pay<U+200B> more." in find_diff(tmp_path, SERVER, PAY)


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (McpServer("s", "stdio", "y", source="a.json"), "+command: y"),
        (McpServer("s", "stdio", "x", ("-c",), source="a.json"), "+argument: -c"),
        (McpServer("s", "stdio", "x", env={"A": "1"}, source="a.json"), "+env A=1"),
        (McpServer("s", "stdio", "x", cwd="sub", source="a.json"), "+folder: sub"),
        (McpServer("s", "http", url="https://e.example", source="a.json"), "+url: https://e"),
        (McpServer("s", "stdio", "./run.sh", source="a.json"), "+command: ./run.sh"),
    ],
)
def test_server_that_changed_is_shown(tmp_path: Path, other: McpServer, text: str) -> None:
    first = McpServer("s", "stdio", "x", source="a.json")
    record_approval(tmp_path, first, PAY, tmp_path)
    assert find_change(tmp_path, first, PAY, tmp_path) is None
    change = find_change(tmp_path, other, PAY, tmp_path)
    assert change and "`server s` in `a.json` changed" in change.reason and text in change.diff
    record_approval(tmp_path, other, PAY, tmp_path)
    assert find_change(tmp_path, other, PAY, tmp_path) is None


def test_script_of_server_belongs_to_approval(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text("print(1)\n")
    server = McpServer("s", "stdio", "python3", ("serve.py",), source="a.json")
    record_approval(tmp_path, server, PAY, tmp_path)
    (tmp_path / "serve.py").write_text("print(2)\n")
    change = find_change(tmp_path, server, PAY, tmp_path)
    assert change and "+print(2)" in change.diff and "-print(1)" in change.diff


def test_same_name_in_another_file_has_approved_nothing(tmp_path: Path) -> None:
    record_approval(tmp_path, McpServer("s", "stdio", "x", source="a.json"), PAY, tmp_path)
    other = McpServer("s", "stdio", "y", source="b.json")
    assert find_change(tmp_path, other, replace(PAY, description="x"), tmp_path) is None


def test_login_of_server_is_not_shown(tmp_path: Path) -> None:
    def serve(value: str) -> McpServer:
        headers = {"Authorization": value}
        return McpServer("s", "http", url="https://e.example", headers=headers, source="a.json")

    record_approval(tmp_path, serve("Basic abc ${TOKEN}"), PAY, tmp_path)
    change = find_change(tmp_path, serve("Basic xyz ${OTHER}"), PAY, tmp_path)
    assert change and "+header Authorization=Basic ***${OTHER}" in change.diff
    assert "xyz" not in change.diff and "abc" not in change.diff


def test_approvals_of_older_versions_still_count(tmp_path: Path) -> None:
    older = _locate_older_file(tmp_path, SERVER)
    older.parent.mkdir(parents=True)
    older.write_text(json.dumps({"pay": {"digest": "0" * 32, "text": "Pay less.\n"}}))
    assert "-Pay less." in find_diff(tmp_path, SERVER, PAY)
    record_approval(tmp_path, SERVER, PAY, tmp_path)
    assert find_diff(tmp_path, SERVER, PAY) == ""


@pytest.mark.parametrize("is_older", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        '{"server": [], "tools": {"pay": null}}',
        '{"server": [], "tools": {"pay": "x"}, "pay": ["x"]}',
        '{"server": [], "tools": [["pay", 1]], "pay": 1}',
        '{"server": {}, "tools": "pay", "pay": true}',
        "[]",
        "{",
        "",
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_approval_of_wrong_form_approves_nothing(
    tmp_path: Path, content: str, is_older: bool
) -> None:
    file = (_locate_older_file if is_older else _locate_file)(tmp_path, SERVER)
    file.parent.mkdir(parents=True)
    file.write_text(content)
    change = find_change(tmp_path, SERVER, PAY, tmp_path)
    assert change and change.is_of_server
    record_approval(tmp_path, SERVER, PAY, tmp_path)
    assert find_change(tmp_path, SERVER, PAY, tmp_path) is None
