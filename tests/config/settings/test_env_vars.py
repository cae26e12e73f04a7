import re
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.env_vars import (
    expand_layer,
    expand_references,
    find_unknown_variables,
    from_environment,
)
from maxagent.config.settings.sources import Layer, merge_layers


@pytest.mark.parametrize(
    "variables, values",
    [
        ({"LLC_PROVIDER": "glm"}, {"litellm": {"provider": "glm"}}),
        ({"LLC_BASE_URL": "http://x"}, {"litellm": {"base_url": "http://x"}}),
        ({"LLC_API_KEY": "123"}, {"litellm": {"api_key": "123"}}),
        ({"LLC_MODEL": "openai/gpt-4o"}, {"model": {"default": "openai/gpt-4o"}}),
        ({"LLC_MODE": "auto"}, {"security": {"mode": "auto"}}),
        ({"LLC_LANG": "zh"}, {"language": "zh"}),
        ({"LLC_LANGUAGE": "zh"}, {"language": "zh"}),
        ({"LLC_MODEL__MAX_TOKENS": "100"}, {"model": {"max_tokens": 100}}),
        ({"LLC_TOOLS__DISABLED": "[grep]"}, {"tools": {"disabled": ["grep"]}}),
        ({"LLC_TASK__TEST_COMMAND": "a: # b"}, {"task": {"test_command": "a: # b"}}),
        ({"LLC_MODEL__MODELS": "{x: {api: chat}}"}, {"model": {"models": {"x": {"api": "chat"}}}}),
        ({"LLC_TOOLS__ENABLE": "x"}, {"tools": {"enable": "x"}}),
        ({"LLC_MODEL": "one", "MAXAGENT_MODEL": "two"}, {"model": {"default": "two"}}),
        ({"LLC_MODEL": "one", "LLC_MODEL__DEFAULT": "two"}, {"model": {"default": "two"}}),
        ({"LLC_MODEL": "", "LLC_HOME": "/x", "MAXAGENT_HOME": "/x", "LLC_OTHER": "x"}, {}),
        ({"LLC_OTHER__KEY": "x", "MODEL": "x", "OPENAI_API_KEY": "x", "LLC_": "x"}, {}),
    ],
)  # fmt: skip
def test_the_environment_is_settings(variables: dict[str, str], values: object) -> None:
    assert merge_layers(from_environment(variables)) == values


def test_a_layer_is_named_after_its_variable() -> None:
    (layer,) = from_environment({"MAXAGENT_MODE": "ask"})
    assert layer.find_origin(("security", "mode")) == "environment MAXAGENT_MODE"


def test_non_yaml_variable_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"environment LLC_TOOLS__DISABLED: `\[a` is not YAML"):
        list(from_environment({"LLC_TOOLS__DISABLED": "[a"}))


ENVIRON = {"A": "one", "B_2": "two", "EMPTY": "", "NESTED": "${A}"}


@pytest.mark.parametrize(
    "text, result",
    [
        ("${A}", "one"),
        ("x-${A}/${B_2}-y", "x-one/two-y"),
        ("${MISSING:-else}", "else"),
        ("${MISSING:-}", ""),
        ("${EMPTY}", ""),
        ("${EMPTY:-else}", "else"),
        ("${A:-else}", "one"),
        ("${NESTED}", "${A}"),
        ("$${A}", "${A}"),
        ("$$${A}", "$${A}"),
        ("$A ${} ${1} ${A-b} ${A", "$A ${} ${1} ${A-b} ${A"),
        ("${MISSING:-http://x:80/?a=b}", "http://x:80/?a=b"),
    ],
)
def test_references_are_replaced(text: str, result: str) -> None:
    assert expand_references(text, ENVIRON) == result


def test_unset_variable_raises_key_error_with_name() -> None:
    with pytest.raises(KeyError, match="^'MISSING'$"):
        expand_references("${MISSING}", ENVIRON)


def test_layer_references_are_expanded_and_failures_reported() -> None:
    values: dict[str, object] = {
        "litellm": {"api_key": "${MISSING}", "base_url": "${MISSING}"},
        "model": {"default": "${NUMBER}", "max_tokens": "${NUMBER}", "temperature": "0.5"},
        "tools": {"disabled": ["${A}", "x"]},
        "ui": {"status_line": "echo ${MISSING}"},  # it is for the shell
    }
    layer, wrong = expand_layer(Layer("f", values), ENVIRON | {"NUMBER": "7"})
    remedy = "variable `MISSING` is not set; set it, or write `${MISSING:-DEFAULT}`"
    assert wrong == {("litellm", "base_url"): remedy}
    assert layer.values == {
        "litellm": {"api_key": "", "base_url": "${MISSING}"},
        "model": {"default": "7", "max_tokens": 7, "temperature": "0.5"},
        "tools": {"disabled": ["one", "x"]},
        "ui": {"status_line": "echo ${MISSING}"},
    }


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("MCODE_MODE", "MAXAGENT_MODE"),
        ("MCODE_HOME", "MAXAGENT_HOME"),
        ("MCODE_SECURITY_MODE", "MAXAGENT_SECURITY__MODE"),
        ("MCODE_SANDBOX", "MAXAGENT_SANDBOX__KEY"),
        ("MAXAGENT_PROFIL", "MAXAGENT_PROFILE"),
        ("LLC_SECURITY_MODE", "LLC_SECURITY__MODE"),
        ("MAXAGENT_SANDBOX_NETWORK", "MAXAGENT_SANDBOX__NETWORK"),
        ("LLC_APIKEY", "LLC_API_KEY"),
        ("MAXAGENT_NO_COLOUR", ""),
    ],
)
def test_a_misspelt_variable_is_reported(name: str, suggestion: str) -> None:
    (reported,) = find_unknown_variables([name, "PATH"])
    assert reported == (f"`{name}` (did you mean `{suggestion}`?)" if suggestion else f"`{name}`")


@pytest.mark.parametrize(
    "name",
    ["LLC_MODE", "MAXAGENT_MODEL__MAX_TOKENS", "MAXAGENT_HOME", "LLC_HOME", "MCODE_IMAGE", "LLCX"],
)
def test_known_and_foreign_variables_are_not_reported(name: str) -> None:
    assert find_unknown_variables([name]) == []


def test_every_variable_in_the_source_is_known() -> None:
    root = Path(__file__).parents[3]
    rooms = ("cli", "sdk", "graphs", "nodes", "tools", "models", "memory", "config")
    files = [file for room in rooms for file in (root / room).rglob("*.py")]
    pattern = re.compile(r"\"((?:MAXAGENT|LLC)_[A-Z_]+)\"")
    names = {name for file in files for name in pattern.findall(file.read_text())}
    assert len(names) > 8
    assert find_unknown_variables(name for name in names if not name.endswith("_")) == []
