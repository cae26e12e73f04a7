"""Definitions of servers in the words of several programs."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.mcp.server_parser import parse_server
from maxagent.tools.mcp.variables import Variables

VARIABLES = Variables({"TOKEN": "t1"}, Path("/work/shop"))


RESTRICTS = "is not supported: deny tools with a rule, such as `mcp_a_TOOL`"


def parse(entry: object, name: str = "a") -> McpServer:
    return parse_server(name, entry, VARIABLES, source="/f.json", from_project=False)


@pytest.mark.parametrize(
    ("entry", "fields"),
    [
        ({"command": "npx", "args": ["-y", 8]}, {"transport": "stdio", "args": ("-y", "8")}),
        ({"type": "stdio", "command": "x", "env": {"A": "${TOKEN}", "B": True, "C": None}},
         {"env": {"A": "t1", "B": "true"}}),
        ({"url": "https://x/mcp"}, {"transport": "http", "url": "https://x/mcp"}),
        ({"url": "https://x/sse"}, {"transport": "sse"}),
        ({"type": "sse", "url": "https://x/"}, {"transport": "sse"}),
        ({"type": "streamable-http", "url": "https://x/"}, {"transport": "http"}),
        ({"transport": "http", "url": "https://x/"}, {"transport": "http"}),
        ({"httpUrl": "https://x/mcp"}, {"transport": "http", "url": "https://x/mcp"}),
        ({"url": "https://x", "headers": {"A": "B ${TOKEN}"}}, {"headers": {"A": "B t1"}}),
        (
            {"url": "https://x", "oauth": {"clientId": "a", "callback_port": 7, "scopes": None}},
            {"oauth": {"client_id": "a", "callback_port": "7"}},
        ),
        ({"url": "https://x", "oauth": False}, {"oauth": {}}),
        ({"command": "${workspaceFolder}/x"}, {"command": "/work/shop/x"}),
        ({"command": "x", "disabled": True}, {"enabled": False}),
        ({"command": "x", "enabled": False}, {"enabled": False}),
        ({"command": "x", "call_timeout": 5}, {"call_timeout": 5.0, "connect_timeout": 30.0}),
        ({"name": "other", "type": "http", "url": "http://x", "more": [1]}, {"name": "a"}),
    ],
)  # fmt: skip
def test_a_definition_becomes_a_server(entry: object, fields: dict[str, Any]) -> None:
    server = parse(entry)
    assert server.problem == ""
    assert {name: getattr(server, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (3, "its definition is not a JSON object"),
        ({}, "its definition has no `command`"),
        ({"type": "http"}, "its definition has no `url`"),
        ({"type": "http", "command": "x"}, "its definition has no `url`"),
        ({"type": "ws", "url": "ws://x"}, "its type `ws` is unknown"),
        ({"type": 3, "url": "ws://x"}, "its type `3` is unknown"),
        ({"url": "ftp://x"}, "its URL is not one of `http://` or `https://`"),
        ({"url": "https://"}, "its URL is not one of `http://` or `https://`"),
        ({"url": ["https://x"]}, "its `url` is not a text"),
        ({"command": "x", "args": "-y"}, "its `args` is not a list of texts"),
        ({"command": "x", "args": [{}]}, "its `args` has a value that is not a text"),
        ({"command": "x", "env": ["A=b"]}, "its `env` is not a mapping of texts"),
        ({"command": "x\0"}, "its `command` is not a text"),
        ({"command": "${NONE}"}, "the variable `NONE` is not set"),
        ({"url": "https://x", "headers": {"A": "a\nb"}},
         "its header `A` has characters that HTTP cannot send"),
        ({"command": "x", "call_timeout": "5"}, "its `call_timeout` is not a number of seconds"),
        ({"command": "x", "call_timeout": 0}, "its `call_timeout` is not a number of seconds"),
        ({"command": "x", "envFile": ".env"}, "`envFile` is not supported"),
        ({"command": "x", "excludeTools": ["y"]}, f"`excludeTools` {RESTRICTS}"),
        ({"command": "x", "includeTools": ["y"]}, f"`includeTools` {RESTRICTS}"),
        ({"command": "x", "disabledTools": ["y"]}, f"`disabledTools` {RESTRICTS}"),
        ({"url": "http://x/y", "enabled_tools": ["y"]}, f"`enabled_tools` {RESTRICTS}"),
        ({"command": "x", "available_tools": ["y"]}, f"`available_tools` {RESTRICTS}"),
    ],
)  # fmt: skip
def test_a_wrong_definition_is_a_problem(entry: object, problem: str) -> None:
    assert parse(entry).problem == problem


@pytest.mark.parametrize("name", ["", "a\nb", "a" * 101, "\u202e"])
def test_a_wrong_name_is_a_problem(name: str) -> None:
    assert "its name" in parse({"command": "x"}, name).problem


def test_the_digest_is_that_of_what_is_written() -> None:
    entry = {"command": "x", "args": ["${TOKEN}"]}
    other = parse_server("a", entry, Variables({"TOKEN": "t2"}, None), source="", from_project=True)
    assert other.args == ("t2",)
    assert other.digest == parse(entry).digest
    assert other.digest != parse({"command": "x", "args": ["t1"]}).digest


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
KEYS = ["type", "command", "args", "env", "url", "headers", "cwd", "enabled", "call_timeout"]


@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_no_definition_raises(entry: dict[str, object]) -> None:
    parse(entry)


@pytest.mark.parametrize(
    ("switch", "is_enabled"),
    [
        ({"enabled": False}, False),
        ({"enabled": "false"}, False),
        ({"disabled": "True"}, False),
        ({"isActive": False}, False),
        ({"active": False}, False),
        ({"disabled": False, "enabled": "true", "isActive": True}, True),
    ],
)
def test_switch_of_another_program_is_read(switch: dict[str, object], is_enabled: bool) -> None:
    server = parse({"command": "x", **switch})
    assert (server.enabled, server.problem) == (is_enabled, "")


@pytest.mark.parametrize(
    ("definition", "problem"),
    [
        ({"enabled": "perhaps"}, "its `enabled` is neither true nor false"),
        ({"disabled": 0}, "its `disabled` is neither true nor false"),
        ({"env": {"A": "{env:TOKEN}"}}, "`{env:TOKEN}` is no variable here: write `${TOKEN}`"),
        ({"env": {"A": "$TOKEN"}}, "`$TOKEN` is no variable here: write `${TOKEN}`"),
        ({"args": ["%TOKEN%"]}, "`%TOKEN%` is no variable here: write `${TOKEN}`"),
        ({"headers": {"A": "Bearer $TOKEN"}}, "`$TOKEN` is no variable here: write `${TOKEN}`"),
        ({"headersHelper": "/x"}, "write `headers`, with `${NAME}` for a variable"),
        ({"bearer_token_env_var": "T"}, "write `headers`, with `${NAME}` for a variable"),
    ],
)
def test_what_is_not_understood_stops(definition: dict[str, object], problem: str) -> None:
    assert problem in parse({"command": "x", **definition}).problem


@pytest.mark.parametrize("value", ["pa$$word", "$5", "50%", "a $HOME b", "%d", "$lower"])
def test_signs_in_values_are_no_variables(value: str) -> None:
    server = parse({"command": "x", "env": {"A": value}})
    assert (server.problem, server.env) == ("", {"A": value})


def test_command_of_opencode_is_read() -> None:
    definition = {"type": "local", "command": ["npx", "-y", "p"], "environment": {"A": "1"}}
    server = parse(definition)
    assert (server.command, server.args, server.env) == ("npx", ("-y", "p"), {"A": "1"})
