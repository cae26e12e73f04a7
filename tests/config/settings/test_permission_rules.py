from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.loader import load_settings
from maxagent.config.settings.permission_rules import RawRule, merge_rules, read_rules
from maxagent.config.settings.sources import Layer, merge_layers

USER = Layer(
    "user",
    {"permissions": {"deny": ["edit(a)"], "allow": ["edit(b)"]}},
    {("permissions", "deny"): 2, ("permissions", "deny", "0"): 3},
)
PROJECT = Layer(
    "project",
    {
        "permissions": {"deny": [{"rule": "edit(c)", "match": ["c"]}]},
        "security": {"command_whitelist": ["make", " "]},
    },
)


def test_rules_of_all_layers_merge_with_their_origins() -> None:
    assert read_rules([USER, PROJECT]) == (
        RawRule("deny", "edit(a)", "user:3"),
        RawRule("allow", "edit(b)", "user"),
        RawRule("deny", "edit(c)", "project", ("c",)),
        RawRule("allow", "run_command(make:*)", "project", setting="security.command_whitelist"),
    )
    assert merge_layers([USER, PROJECT, merge_rules([USER, PROJECT])])["permissions"] == {
        "deny": ["edit(a)", {"rule": "edit(c)", "match": ["c"]}],
        "allow": ["edit(b)"],
    }


def test_of_whitelists_the_strongest_counts() -> None:
    weaker = Layer("weaker", {"security": {"command_whitelist": ["rm"]}})
    texts = [rule.text for rule in read_rules([weaker, PROJECT])]
    assert "run_command(rm:*)" not in texts


def test_rule_of_wrong_shape_is_refused_with_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("permissions:\n  deny:\n    - run_command\n    - 3\n")
    with pytest.raises(UsageError, match=r"config\.yaml:4: "):
        load_settings(tmp_path / "project", tmp_path, environ={})


def test_the_settings_show_the_rules_of_every_layer(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("permissions: {deny: [edit(a)]}\n")
    environ = {"LLC_PERMISSIONS__DENY": "[edit(b)]"}
    loaded = load_settings(tmp_path / "project", tmp_path, environ=environ)
    assert loaded.settings.permissions.deny == ["edit(a)", "edit(b)"]
    assert [rule.origin for rule in loaded.rules] == [
        f"{tmp_path}/config.yaml:1",
        "environment LLC_PERMISSIONS__DENY",
    ]


def test_confirmed_tools_of_every_layer_are_asked() -> None:
    section = {"require_confirmation": ["write_file"], "require_command_confirmation": False}
    asking = Layer("user", {"security": section}, {("security", "require_confirmation", "0"): 7})
    silent = Layer("project", {"security": {"require_confirmation": True}})
    assert read_rules([asking, silent]) == (
        RawRule("ask", "write_file", "user:7", setting="security.require_confirmation"),
        RawRule("allow", "run_command", "user"),
    )
    stronger = Layer("flag", {"security": {"require_command_confirmation": True}})
    assert [rule.kind for rule in read_rules([asking, stronger])] == ["ask"]
