"""`mcode mcp add`, `enable`, `disable` and `remove`."""

import json
from pathlib import Path

import pytest
from mcp_place import Place

from maxagent.cli.commands.mcp.editing import (
    TransportName,
    build_definition,
    find_literal_secrets,
    join_command,
    validate_name,
)
from maxagent.config.errors import UsageError
from maxagent.config.trust.decision import check_trust, trust

SECRET = "aB3dE5gH7jK9mN1pQ"


@pytest.fixture
def world(tmp_path: Path) -> Place:
    return Place(tmp_path)


# a program that ends at once: the definition is stored, and the connection fails
ENDS = "true"


def test_a_server_is_stored_for_the_user(world: Place) -> None:
    ended = world("add", "a", "--transport", "stdio", "--env", "A=b", "--", ENDS, "-y", "--force")
    assert f"Added `a` to {world.file}" in ended.stderr
    entry = {"type": "stdio", "command": ENDS, "args": ["-y", "--force"], "env": {"A": "b"}}
    assert world.read() == {"a": {"name": "a", **entry, "enabled": True}}


@pytest.mark.parametrize("url", ["https://", "http://h ost/"])
def test_a_wrong_definition_is_not_stored(world: Place, url: str) -> None:
    ended = world("add", "a", url)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert not world.file.exists()


@pytest.mark.parametrize("arguments", [("npx", "-y", "x"), ("npx", "--yes")])
def test_a_missing_separator_is_reported(world: Place, arguments: tuple[str, ...]) -> None:
    ended = world("add", "a", *arguments)
    assert ended.returncode == 2 and "`mcode mcp add NAME -- COMMAND ARGS`" in ended.stderr
    assert not world.file.exists()


def test_a_taken_name_needs_force(world: Place) -> None:
    world.write_user({"a": {"command": "old"}})
    refused = world("add", "a", "--", ENDS)
    assert refused.returncode == 2 and "--force" in refused.stderr
    world("add", "a", "--force", "--", ENDS)
    assert world.read()["a"]["command"] == ENDS


def test_a_literal_secret_is_warned_of(world: Place) -> None:
    secret = "aB3dE5gH7jK9mN1pQ"
    ended = world(
        "add", "git-hub", "http://127.0.0.1:1", "--header", f"Authorization: Bearer {secret}"
    )
    assert "--header 'Authorization: Bearer ${GIT_HUB_TOKEN}'" in ended.stderr
    assert secret not in ended.stderr
    assert world.read()["git-hub"]["headers"] == {"Authorization": f"Bearer {secret}"}


def test_a_literal_secret_never_goes_into_a_project(world: Place) -> None:
    ended = world("add", "a", "--project", "--env", "API_KEY=aB3dE5gH7jK9mN1pQ", "--", ENDS)
    assert ended.returncode == 2 and "--env 'API_KEY=${API_KEY}'" in ended.stderr
    assert not (world.project / ".mcp.json").exists()


def test_an_unset_variable_is_reported_and_stored(world: Place) -> None:
    ended = world("add", "a", "https://x", "--header", "A: ${NOT_SET_HERE}")
    assert ended.returncode == 0
    assert "the variable `NOT_SET_HERE` is not set" in ended.stderr
    assert world.read()["a"]["headers"] == {"A": "${NOT_SET_HERE}"}


def test_a_trusted_project_stays_trusted(world: Place) -> None:
    (world.project / "AGENTS.md").write_text("x")
    trust(world.project, world.home)
    world("add", "a", "--project", "https://127.0.0.1:1/")
    stored = json.loads((world.project / ".mcp.json").read_text())
    assert stored == {"mcpServers": {"a": {"type": "http", "url": "https://127.0.0.1:1/"}}}
    assert check_trust(world.project, world.home).trusted
    world("disable", "a")
    assert check_trust(world.project, world.home).trusted
    assert "Disabled" in world("list", "--no-test").stdout
    world("remove", "a")
    assert json.loads((world.project / ".mcp.json").read_text()) == {"mcpServers": {}}


def test_an_untrusted_project_stays_untrusted(world: Place) -> None:
    (world.project / "AGENTS.md").write_text("x")
    mark = world.project / "started"
    ended = world("add", "a", "--project", "--", "touch", str(mark))
    assert "not trusted" in ended.stderr
    assert not check_trust(world.project, world.home).trusted
    assert not mark.exists()


def test_a_server_is_disabled_and_enabled(world: Place) -> None:
    world.write_user({"a": {"command": ENDS, "more": 1}})
    world("disable", "a")
    assert world.read() == {"a": {"command": ENDS, "more": 1, "enabled": False}}
    world("enable", "a")
    assert world.read() == {"a": {"command": ENDS, "more": 1, "enabled": True}}
    world("remove", "a")
    assert world.read() == {}


@pytest.mark.parametrize(
    ("arguments", "transport", "headers", "env", "definition"),
    [
        (["https://x/mcp"], None, [], [], {"type": "http", "url": "https://x/mcp"}),
        (["HTTP://x"], None, ["A: b: c", "D:e"], [],
         {"type": "http", "url": "HTTP://x", "headers": {"A": "b: c", "D": "e"}}),
        (["https://x/sse"], "sse", [], [], {"type": "sse", "url": "https://x/sse"}),
        (["${URL}"], "http", [], [], {"type": "http", "url": "${URL}"}),
        (["npx", "-y", "x"], None, [], ["A=b=c", "D="],
         {"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"A": "b=c", "D": ""}}),
        (["x"], "stdio", [], [], {"type": "stdio", "command": "x", "args": []}),
        (["server.py"], None, [], [], {"type": "stdio", "command": "server.py", "args": []}),
        (["./v1.2/run"], None, [], [], {"type": "stdio", "command": "./v1.2/run", "args": []}),
        (["a.b.c"], "stdio", [], [], {"type": "stdio", "command": "a.b.c", "args": []}),
    ],
)  # fmt: skip
def test_words_become_a_definition(
    arguments: list[str],
    transport: str | None,
    headers: list[str],
    env: list[str],
    definition: object,
) -> None:
    kind = TransportName(transport) if transport else None
    assert build_definition(arguments, kind, headers, env) == definition


@pytest.mark.parametrize(
    ("arguments", "transport", "headers", "env"),
    [
        (["https://x", "more"], None, [], []),
        (["https://x"], None, [], ["A=b"]),
        (["https://x"], None, ["no colon"], []),
        (["https://x"], None, [": b"], []),
        (["https://x"], "stdio", [], []),
        (["npx"], None, ["A: b"], []),
        (["npx"], None, [], ["A"]),
        (["npx", "x"], "http", [], []),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    arguments: list[str], transport: str | None, headers: list[str], env: list[str]
) -> None:
    kind = TransportName(transport) if transport else None
    with pytest.raises(UsageError):
        build_definition(arguments, kind, headers, env)


@pytest.mark.parametrize(
    "word",
    [
        "localhost:3000/mcp",
        "localhost",
        "box:80",
        "127.0.0.1:80",
        "x.org/mcp",
        "mcp.x.org",
        "ws://x",
    ],
)
def test_a_url_needs_its_scheme(word: str) -> None:
    with pytest.raises(UsageError, match="has no `https://` or `http://`"):
        build_definition([word], None, [], [])


@pytest.mark.parametrize(
    ("target", "command", "arguments", "command_line"),
    [
        (["npx", "-y"], "", [], ["npx", "-y"]),
        ([], "npx", ["-y", "--z"], ["npx", "-y", "--z"]),
        ([], "", [], None),
        ([], "", ["x"], None),
        (["https://x"], "npx", [], None),
        (["https://x"], "", ["x"], None),
    ],
)
def test_a_command_has_one_form(
    target: list[str], command: str, arguments: list[str], command_line: list[str] | None
) -> None:
    if command_line is None:
        with pytest.raises(UsageError):
            join_command(target, command, arguments)
    else:
        assert join_command(target, command, arguments) == command_line


@pytest.mark.parametrize(
    ("definition", "examples"),
    [
        ({"headers": {"Authorization": f"Bearer {SECRET}"}},
         [("Authorization", "`--header 'Authorization: Bearer ${GIT_HUB_TOKEN}'`")]),
        ({"headers": {"X-Api-Key": SECRET}},
         [("X-Api-Key", "`--header 'X-Api-Key: ${GIT_HUB_TOKEN}'`")]),
        ({"env": {"API_KEY": SECRET, "LEVEL": "debug"}},
         [("API_KEY", "`--env 'API_KEY=${API_KEY}'`")]),
        ({"env": {"API_KEY": "${KEY}"}, "headers": {"Authorization": "Bearer ${A}"}}, []),
        ({}, []),
    ],
)  # fmt: skip
def test_a_literal_secret_gets_an_example(
    definition: dict[str, object], examples: list[tuple[str, str]]
) -> None:
    assert list(find_literal_secrets("git-hub", definition)) == examples


@pytest.mark.parametrize("name", ["", "a b", "a.b", "a" * 41, "ü", "a\n"])
def test_a_wrong_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        validate_name(name)
    validate_name("aZ-9_" + "b" * 35)
