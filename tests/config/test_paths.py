"""Where files are."""

import os
import pwd
from pathlib import Path

import pytest

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError, UsageError


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


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("project/.llc.yml", "project/.llc.yaml"),
        ("project/llc.yaml", "project/.llc.yaml"),
        ("project/.mcode.yaml", "project/.llc.yaml"),
        ("project/.llc/config.yaml", "project/.llc.yaml"),
        ("project/.llc/settings.json", "project/.llc.yaml"),
        ("home/config.yml", "home/config.yaml"),
        ("home/settings.json", "home/config.yaml"),
        ("home/config.yaml", ""),
        ("project/.llc.yaml", ""),
        ("project/.llc/agents/config.yaml", ""),
    ],
)
def test_a_misnamed_configuration_is_found(name: str, right: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).touch()
    pairs = paths.find_misnamed_configs(tmp_path / "project", tmp_path / "home")
    assert pairs == ([(tmp_path / name, tmp_path / right)] if right else [])


def test_own_home_is_no_misnamed_configuration(tmp_path: Path) -> None:
    (tmp_path / ".llc").mkdir()
    (tmp_path / ".llc" / "config.yaml").touch()
    assert paths.find_misnamed_configs(tmp_path, tmp_path / ".llc") == []


@pytest.mark.parametrize(
    ("name", "content", "is_found"),
    [
        (".claude/settings.json", '{"permissions": {"deny": ["Read(.env)"]}}', True),
        (".claude/settings.local.json", '{"permissions": {"allow": ["Bash(make:*)"]}}', True),
        ("opencode.json", '{"permission": {"edit": "deny"}}', True),
        (".opencode/opencode.json", '{"permission": "ask"}', True),
        (".gemini/settings.json", '{"tools": {"exclude": ["run_shell_command"]}}', True),
        (".claude/settings.json", '{"permissions": {}}', False),
        (".claude/settings.json", '{"model": "x"}', False),
        (".claude/settings.json", "[1]", False),
        (".claude/settings.json", '{"permissions": ', False),
        (".claude/settings.json", "\x00\xff", False),
        (".claude/other.json", '{"permissions": {"deny": ["Read"]}}', False),
    ],
)
def test_permissions_of_other_agents_are_found(
    name: str, content: str, is_found: bool, tmp_path: Path
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content)
    assert paths.find_foreign_permissions(tmp_path) == ([name] if is_found else [])


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_a_blank_home_is_that_of_the_user_database(
    blank: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    if blank is not None:
        monkeypatch.setenv("HOME", blank)
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert paths.locate_home({}) == home / ".llc"
    assert paths.correct_home() is None
    assert os.environ.get("HOME") == (None if blank is None else str(home))


@pytest.mark.parametrize("relative", ["home", ".", "../me", "~", "$HOME", "./.llc"])
def test_a_relative_home_is_refused(relative: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", relative)
    with pytest.raises(UsageError, match="not an absolute path"):
        paths.locate_home({})
    assert paths.locate_home({"MAXAGENT_HOME": "/own"}) == Path("/own")
    assert "not an absolute path" in str(paths.correct_home()) and "HOME" not in os.environ


@pytest.mark.parametrize("below", ["", "sub", "sub/deeper"])
def test_a_home_that_is_a_file_is_named(below: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MaxAgentError, match=f"`{tmp_path}/file` is a file"):
        paths.ensure_data_folder(tmp_path / "file" / below)
