"""Variables in definitions of servers."""

from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.tools.mcp.variables import Variables

VARIABLES = Variables({"TOKEN": "t1", "EMPTY": ""}, Path("/work/shop"))


@pytest.mark.parametrize(
    ("written", "expanded"),
    [
        ("plain $TOKEN {x}", "plain $TOKEN {x}"),
        ("Bearer ${TOKEN}", "Bearer t1"),
        ("${TOKEN}${TOKEN}", "t1t1"),
        ("${env:TOKEN}", "t1"),
        ("${NONE:-x y}", "x y"),
        ("${EMPTY:-x}", "x"),
        ("${EMPTY}", ""),
        ("${NONE:-}", ""),
        ("${TOKEN:-x}", "t1"),
        ("${workspaceFolder}/a", "/work/shop/a"),
        ("${workspaceFolderBasename}", "shop"),
        ("a${/}b", "a/b"),
        ("${NONE:-${TOKEN}}", "t1"),
        ("a${NONE:-b${EMPTY:-c${TOKEN}d}e}f", "abct1def"),
        ("${TOKEN:-${NONE}}", "t1"),
        ("${NONE:-${workspaceFolderBasename}-${TOKEN}}.log", "shop-t1.log"),
        ('${NONE:-{"a": 1}}', '{"a": 1}'),
        ("${NONE:-${NONE:-}}|", "|"),
    ],
)
def test_a_variable_is_replaced(written: str, expanded: str) -> None:
    assert VARIABLES.expand(written) == expanded


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("${NONE}", "NONE"),
        ("${env:NONE}", "NONE"),
        ("${input:key}", "input:key"),
        ("${command:x}", "command:x"),
        ("${}", ""),
        ("${NONE:-${ALSO_NONE}}", "ALSO_NONE"),
        ("${unclosed", "${unclosed"),
        ("${TOKEN}/${NONE:-${TOKEN}", "${NONE:-${TOKEN}"),
    ],
)
def test_a_variable_without_value_is_named(written: str, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        VARIABLES.expand(written)
    assert text in raised.value.message


def test_without_project_its_variable_is_not_set() -> None:
    with pytest.raises(UsageError, match="workspaceFolder"):
        Variables({}, None).expand("${workspaceFolder}")


def test_a_value_is_not_expanded_again() -> None:
    assert Variables({"A": "${B}", "B": "x"}, None).expand("${A}") == "${B}"
