from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.mcp.definition import (
    PromptArgument,
    PromptDefinition,
    ResourceDefinition,
    ServerDefinitions,
    ToolDefinition,
)
from maxagent.tools.mcp.definition_cache import get_data_folder, keep_definitions, read_definitions
from maxagent.tools.mcp.server_config import McpServer

SERVER = McpServer("git hub", "stdio", command="server", env={"TOKEN": "secret"})
DEFINITIONS = ServerDefinitions(
    (ToolDefinition("git hub", "echo", "Says it: ü", {"type": "object"}, read_only=True),),
    (PromptDefinition("git hub", "greet", arguments=(PromptArgument("who", required=True),)),),
    (ResourceDefinition("git hub", "memo://{id}", "memo", is_template=True),),
    "Be kind.",
    "new",
    "2026-07-28",
    {"supportedVersions": ["2026-07-28"]},
)


def test_definitions_come_back_as_kept(tmp_path: Path) -> None:
    keep_definitions(tmp_path, SERVER, DEFINITIONS)
    assert read_definitions(tmp_path, SERVER) == DEFINITIONS
    (file,) = (get_data_folder(tmp_path) / "definitions").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert "secret" not in file.read_text()


def test_another_definition_of_the_server_is_unknown(tmp_path: Path) -> None:
    keep_definitions(tmp_path, SERVER, DEFINITIONS)
    assert read_definitions(tmp_path, replace(SERVER, name="other")) is None
    assert read_definitions(tmp_path, replace(SERVER, digest="", args=("--new",))) is None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"format": 1}', b"\xff", b'{"format": 9}'])
def test_a_damaged_file_is_unknown(tmp_path: Path, content: bytes) -> None:
    keep_definitions(tmp_path, SERVER, DEFINITIONS)
    (file,) = (get_data_folder(tmp_path) / "definitions").iterdir()
    file.write_bytes(content)
    assert read_definitions(tmp_path, SERVER) is None


def test_a_digest_follows_what_models_read() -> None:
    (tool,) = DEFINITIONS.tools
    assert replace(tool, title="Echo", read_only=False).digest == tool.digest
    changed = [
        replace(tool, name="cho"),
        replace(tool, description="Says it"),
        replace(tool, schema={}),
    ]
    assert len({each.digest for each in (tool, *changed)}) == 4
