"""Definitions from the words of `mcode mcp add`."""

import pytest

from maxagent.cli.commands.mcp.server_definition import (
    TransportName,
    build_definition,
    find_literal_secrets,
    join_command,
    validate_name,
)
from maxagent.config.errors import UsageError

SECRET = "aB3dE5gH7jK9mN1pQ"


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
