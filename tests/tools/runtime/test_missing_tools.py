import json
from pathlib import Path

import pytest

from maxagent.config.settings.schema import RagSection, RagServer, Settings, ToolsSection
from maxagent.tools.runtime.missing_tools import find_missing_tools

OF_SERVERS = ["mcp_git_hub_search", "mcp__gone__x", "mcp_*", "use_mcp_tool"]
NAMED = ["read_file", "task", "use_rag_tool", *OF_SERVERS]


def configure(*names: str, rag: bool = False) -> Settings:
    servers = {"a": RagServer(base_url="http://x")} if rag else {}
    return Settings(tools=ToolsSection(enabled=[*names]), rag=RagSection(servers=servers))


def test_names_that_nothing_offers_are_found(tmp_path: Path) -> None:
    missing_tools = find_missing_tools(configure(*NAMED), tmp_path, tmp_path / "home")
    assert missing_tools == ["use_rag_tool", *OF_SERVERS]


def test_a_configured_server_brings_its_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "maxagent").mkdir()
    servers = {"servers": {"git-hub": {"type": "stdio", "command": "true"}}}
    (tmp_path / "maxagent" / "mcp_servers.json").write_text(json.dumps(servers))
    missing_tools = find_missing_tools(configure(*NAMED, rag=True), tmp_path, tmp_path / "home")
    assert missing_tools == ["mcp__gone__x"]


@pytest.mark.parametrize(
    ("server", "missing"),
    [
        ("github", ["mcp_数据库_查询", "mcp_gihtub_*", "mcp_ñandú_x"]),
        ("数据库", ["mcp_gihtub_*", "mcp_github_x", "mcp_ñandú_x"]),
        ("Ñandú", ["mcp_数据库_查询", "mcp_gihtub_*", "mcp_github_x"]),
        ("---", ["mcp_数据库_查询", "mcp_gihtub_*", "mcp_github_x", "mcp_ñandú_x"]),
        ("Git_Hub", ["mcp_数据库_查询", "mcp_gihtub_*", "mcp_ñandú_x"]),
    ],
)
def test_a_name_in_any_script_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str, missing: list[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "maxagent").mkdir()
    servers = {"servers": {server: {"type": "stdio", "command": "true"}}}
    (tmp_path / "maxagent" / "mcp_servers.json").write_text(json.dumps(servers))
    settings = configure("mcp_数据库_查询", "mcp_gihtub_*", "mcp_github_x", "mcp_ñandú_x")
    assert find_missing_tools(settings, tmp_path, tmp_path / "home") == missing
