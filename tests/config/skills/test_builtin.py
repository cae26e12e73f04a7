"""The built-in skill is true: what it names exists."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from maxagent.cli.app import app
from maxagent.cli.slash_names import BUILTIN_SLASH_NAMES
from maxagent.config.settings.keys import list_keys
from maxagent.config.settings.permission_rules import RawRule
from maxagent.config.skills.discovery import BUILT_IN, find_skill_files, list_user_places
from maxagent.config.skills.specification import find_problems
from maxagent.config.trust.inventory import PLACES
from maxagent.tools.permissions.rule import read_rule

FILE = BUILT_IN / "maxagent" / "SKILL.md"
TEXT = FILE.read_text("utf-8")


def test_only_the_argument_hint_is_beyond_the_specification() -> None:
    assert find_skill_files(BUILT_IN) == [FILE]
    assert find_problems(FILE, FILE.read_bytes()) == [
        "`argument-hint` is not a key of the specification"
    ]
    assert len(TEXT.encode()) < 6_000


def test_every_command_that_it_names_exists() -> None:
    parts = {tuple(match.split()) for match in re.findall(r"`mcode ((?:[a-z]+ ?)+)", TEXT)}
    assert len(parts) > 20
    for text in parts:
        command = get_command(app)
        for word in text:
            command = getattr(command, "commands", {})[word]


def test_every_slash_command_and_setting_that_it_names_exists() -> None:
    assert {*re.findall(r"`/([a-z]+)`", TEXT)} <= BUILTIN_SLASH_NAMES
    keys = {*re.findall(r"`([a-z]+\.[a-z_]+)`", TEXT)}
    assert len(keys) > 10 and keys <= {*list_keys()}


def test_every_rule_that_it_names_can_be_read() -> None:
    rules = [*re.findall(r"`(\w+\([^`]+\))`", TEXT), "mcp_NAME_*"]
    assert len(rules) > 3 and "`mcp_NAME_*`" in TEXT
    for rule in rules:
        read_rule(RawRule("allow", rule, "here"))


def test_it_names_every_place_of_skills(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    user_places = [
        str(location).replace("/home/me", "~")
        for location in list_user_places(Path("/home/me/.llc"))
    ]
    assert [
        location for location in (*PLACES["skills"], *user_places) if f"`{location}`" not in TEXT
    ] == []
