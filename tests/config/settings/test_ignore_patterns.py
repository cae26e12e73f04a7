"""Every source hides more; only the user's `!NAME` opens what the built-in list hides."""

from pathlib import Path

import pytest

from maxagent.config.settings.ignore_patterns import KEY, list_negated_patterns, with_all_patterns
from maxagent.config.settings.loader import load_settings
from maxagent.config.settings.schema import IGNORE_PATTERNS
from maxagent.config.settings.sources import Layer, build_layer, merge_layers
from maxagent.tools.result import ToolError
from maxagent.tools.workspace import Workspace

PROJECT = "/project/.llc.yaml"


def patterns(*layers: Layer) -> list[str] | None:
    section = merge_layers(with_all_patterns(layers, PROJECT)).get(KEY[0], {})
    return section.get(KEY[1])


def named(name: str, *lines: str) -> Layer:
    return build_layer(name, KEY, list(lines))


def workspace_of(folder: Path, *layers: Layer) -> Workspace:
    return Workspace(folder, tuple(patterns(*layers) or IGNORE_PATTERNS))


def test_patterns_of_all_sources_merge_with_user_last() -> None:
    user, own, flag = named("user", "a"), named(PROJECT, "!a", "b"), named("flag", "c")
    assert patterns(user, own, flag) == ["!a", "b", *IGNORE_PATTERNS, "a", "c"]
    assert patterns(own) == ["!a", "b", *IGNORE_PATTERNS]
    assert patterns(named("user")) == list(IGNORE_PATTERNS)
    assert patterns() is None


def test_a_users_pattern_keeps_the_built_in_list(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("security: {ignore_patterns: [priv/]}\n")
    loaded = load_settings(tmp_path / "project", tmp_path, environ={})
    workspace = Workspace(tmp_path, tuple(loaded.settings.security.ignore_patterns))
    for name in (".env", "server.pem", "priv/x"):
        with pytest.raises(ToolError):
            workspace.resolve(name)
    assert loaded.negated_patterns == ()


def test_only_an_exclamation_mark_of_the_user_opens(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, named("user", "!.env", "!**/secrets/**"))
    assert workspace.resolve(".env") and workspace.resolve("secrets/notes.txt")
    with pytest.raises(ToolError):
        workspace.resolve(".env.production")


def test_what_opens_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("security:\n  ignore_patterns:\n    - a\n    - '!.env'\n")
    loaded = load_settings(tmp_path / "project", tmp_path, environ={})
    assert loaded.negated_patterns == (f"`!.env` ({tmp_path / 'config.yaml'}:4)",)
    assert list_negated_patterns([named(PROJECT, "!a"), named("flag", "b")], PROJECT) == ()


@pytest.mark.parametrize("own", [["!.env"], ["!*"], ["!.env", "!.env.*"], []])
def test_no_list_of_a_project_opens_anything(own: list[str], tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, named(PROJECT, *own))
    with pytest.raises(ToolError):
        workspace.resolve(".env")
    assert workspace.resolve(".env.example")


def test_a_list_of_a_project_closes_more(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, named(PROJECT, "*.log"))
    for name in (".env", "a.log"):
        with pytest.raises(ToolError):
            workspace.resolve(name)


def test_exclude_files_adds_patterns() -> None:
    layer = Layer("user", {"security": {"exclude_files": ["private/", "!.env"]}})
    *_, joined = with_all_patterns([layer], "project")
    assert joined.values["security"]["ignore_patterns"][-2:] == ["private/", "!.env"]
    assert list_negated_patterns([layer], "project") == ("`!.env` (user)",)
