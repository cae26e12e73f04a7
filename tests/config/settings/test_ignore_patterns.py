"""A project may hide more files from tools, and never show what the user's patterns hide."""

from pathlib import Path

import pytest

from maxagent.config.settings.ignore_patterns import KEY, with_own
from maxagent.config.settings.sources import Layer, merged, single
from maxagent.tools.result import ToolRefusal
from maxagent.tools.workspace import Workspace

PROJECT = "/project/.llc.yaml"


def patterns(*layers: Layer) -> list[str] | None:
    section = merged(with_own(layers, PROJECT)).get(KEY[0], {})
    return section.get(KEY[1])


def named(name: str, *lines: str) -> Layer:
    return single(name, KEY, list(lines))


def test_the_user_has_the_last_word() -> None:
    own = named(PROJECT, "!a", "b")
    assert patterns(named("user", "a"), own) == ["!a", "b", "a"]
    assert patterns(named("user", "a"), own, named("flag", "c")) == ["!a", "b", "c"]
    assert patterns(own)[:2] == ["!a", "b"] and ".env" in patterns(own)


def test_without_a_project_s_list_the_strongest_counts_alone() -> None:
    assert patterns(named("user", "a"), named("flag", "c")) == ["c"]
    assert patterns(named("user")) == [] and patterns() is None


@pytest.mark.parametrize("own", [["!.env"], ["!*"], ["!.env", "!.env.*"], []])
def test_no_list_of_a_project_opens_what_is_closed(own: list[str], tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, tuple(patterns(named(PROJECT, *own)) or ()))
    with pytest.raises(ToolRefusal):
        workspace.resolve(".env")
    assert workspace.resolve(".env.example")


def test_a_list_of_a_project_closes_more(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, tuple(patterns(named(PROJECT, "*.log")) or ()))
    for name in (".env", "a.log"):
        with pytest.raises(ToolRefusal):
            workspace.resolve(name)
