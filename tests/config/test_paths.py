"""Where files are."""

from pathlib import Path

import pytest

from maxagent.config import paths


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"XDG_CONFIG_HOME": "/c"}, "/c/maxagent/mcp_servers.json"),
        ({"XDG_CONFIG_HOME": "c"}, "~/.config/maxagent/mcp_servers.json"),
        ({}, "~/.config/maxagent/mcp_servers.json"),
    ],
)
def test_mcp_servers_are_in_the_configuration(environ: dict[str, str], expected: str) -> None:
    assert paths.locate_mcp_servers(environ) == Path(expected).expanduser()
