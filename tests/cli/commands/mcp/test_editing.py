"""`mcode mcp add`, `enable`, `disable` and `remove`."""

import json
from pathlib import Path

import pytest
from mcp_place import Place

from maxagent.config.trust.decision import check_trust, trust


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# a program that ends at once: the definition is stored, and the connection fails
ENDS = "true"


def test_a_server_is_stored_for_the_user(place: Place) -> None:
    ended = place("add", "a", "--transport", "stdio", "--env", "A=b", "--", ENDS, "-y", "--force")
    assert f"Added `a` to {place.file}" in ended.stderr
    entry = {"type": "stdio", "command": ENDS, "args": ["-y", "--force"], "env": {"A": "b"}}
    assert place.read() == {"a": {"name": "a", **entry, "enabled": True}}


@pytest.mark.parametrize("url", ["https://", "http://h ost/"])
def test_a_wrong_definition_is_not_stored(place: Place, url: str) -> None:
    ended = place("add", "a", url)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert not place.file.exists()


@pytest.mark.parametrize("words", [("npx", "-y", "x"), ("npx", "--yes")])
def test_a_missing_separator_is_said(place: Place, words: tuple[str, ...]) -> None:
    ended = place("add", "a", *words)
    assert ended.returncode == 2 and "`mcode mcp add NAME -- COMMAND ARGS`" in ended.stderr
    assert not place.file.exists()


def test_a_taken_name_needs_force(place: Place) -> None:
    place.write_user({"a": {"command": "old"}})
    refused = place("add", "a", "--", ENDS)
    assert refused.returncode == 2 and "--force" in refused.stderr
    place("add", "a", "--force", "--", ENDS)
    assert place.read()["a"]["command"] == ENDS


def test_a_literal_secret_is_warned_of(place: Place) -> None:
    secret = "aB3dE5gH7jK9mN1pQ"
    ended = place(
        "add", "git-hub", "http://127.0.0.1:1", "--header", f"Authorization: Bearer {secret}"
    )
    assert "--header 'Authorization: Bearer ${GIT_HUB_TOKEN}'" in ended.stderr
    assert secret not in ended.stderr
    assert place.read()["git-hub"]["headers"] == {"Authorization": f"Bearer {secret}"}


def test_a_literal_secret_never_goes_into_a_project(place: Place) -> None:
    ended = place("add", "a", "--project", "--env", "API_KEY=aB3dE5gH7jK9mN1pQ", "--", ENDS)
    assert ended.returncode == 2 and "--env 'API_KEY=${API_KEY}'" in ended.stderr
    assert not (place.project / ".mcp.json").exists()


def test_an_unset_variable_is_said_and_stored(place: Place) -> None:
    ended = place("add", "a", "https://x", "--header", "A: ${NOT_SET_HERE}")
    assert ended.returncode == 0
    assert "the variable `NOT_SET_HERE` is not set" in ended.stderr
    assert place.read()["a"]["headers"] == {"A": "${NOT_SET_HERE}"}


def test_a_trusted_project_stays_trusted(place: Place) -> None:
    (place.project / "AGENTS.md").write_text("x")
    trust(place.project, place.home)
    place("add", "a", "--project", "https://127.0.0.1:1/")
    stored = json.loads((place.project / ".mcp.json").read_text())
    assert stored == {"mcpServers": {"a": {"type": "http", "url": "https://127.0.0.1:1/"}}}
    assert check_trust(place.project, place.home).trusted
    place("disable", "a")
    assert check_trust(place.project, place.home).trusted
    assert "Disabled" in place("list", "--no-test").stdout
    place("remove", "a")
    assert json.loads((place.project / ".mcp.json").read_text()) == {"mcpServers": {}}


def test_an_untrusted_project_stays_untrusted(place: Place) -> None:
    (place.project / "AGENTS.md").write_text("x")
    mark = place.project / "started"
    ended = place("add", "a", "--project", "--", "touch", str(mark))
    assert "not trusted" in ended.stderr
    assert not check_trust(place.project, place.home).trusted
    assert not mark.exists()


def test_a_server_is_disabled_and_enabled(place: Place) -> None:
    place.write_user({"a": {"command": ENDS, "more": 1}})
    place("disable", "a")
    assert place.read() == {"a": {"command": ENDS, "more": 1, "enabled": False}}
    place("enable", "a")
    assert place.read() == {"a": {"command": ENDS, "more": 1, "enabled": True}}
    place("remove", "a")
    assert place.read() == {}
