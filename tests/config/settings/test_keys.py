import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.keys import (
    fill_empty_sections,
    hide_secrets,
    is_section,
    iter_leaves,
    join_key,
    list_keys,
    map_values,
    parse_value,
    split_key,
    type_of,
)


@pytest.mark.parametrize(
    "key, path",
    [
        ("language", ("language",)),
        ("model", ("model",)),
        ("model.max_tokens", ("model", "max_tokens")),
        ("agents.coder.system_prompt", ("agents", "coder", "system_prompt")),
        ("model.models", ("model", "models")),
        ("model.models.glm-4.6", ("model", "models", "glm-4.6")),
        ("model.models.glm-4.6.max_tokens", ("model", "models", "glm-4.6", "max_tokens")),
        ("model.models.openai/gpt-4.1.api", ("model", "models", "openai/gpt-4.1", "api")),
        ("model.models.plain.api", ("model", "models", "plain", "api")),
        ("after_edit", ("after_edit",)),
        ("after_edit.*.py", ("after_edit", "*.py")),
        ("after_edit.src/*.test.ts", ("after_edit", "src/*.test.ts")),
    ],
)
def test_a_dotted_key_is_a_path_and_back(key: str, path: tuple[str, ...]) -> None:
    assert (split_key(key), join_key(path)) == (path, key)


@pytest.mark.parametrize(
    "key, hint",
    [
        ("model.max_token", "did you mean `model.max_tokens`?"),
        ("max_tokens", "did you mean `model.max_tokens`?"),
        ("modle", "did you mean `model`?"),
        ("securty.mode", "did you mean `security.mode`?"),
        ("tools.xyz", "available: `enabled`, `disabled`"),
        ("agents.coder.xyz", "available: `system_prompt`"),
        ("task.xyz.deep.er", "available: `test_command`, `test_timeout`"),
        ("", "available: `litellm`, `copilot`"),
        ("xyz.", "available: `litellm`, `copilot`"),
    ],
)
def test_unknown_key_error_suggests_meant_or_known_keys(key: str, hint: str) -> None:
    with pytest.raises(UsageError) as refusal:
        split_key(key)
    assert refusal.value.message == f"unknown key `{key}`"
    assert refusal.value.hint.startswith(hint)


def test_key_type_is_found_below_custom_model_name() -> None:
    assert type_of(("model", "default")) is str
    assert type_of(("model", "models", "any", "max_tokens")) == int | None
    assert type_of(("model", "models", "any", "nonsense")) is None


@pytest.mark.parametrize(
    "path, holds",
    [
        ((), True),
        (("model",), True),
        (("model", "models"), True),
        (("model", "models", "any"), True),
        (("model", "default"), False),
        (("nonsense",), False),
    ],
)
def test_sections_and_tables_hold_keys(path: tuple[str, ...], holds: bool) -> None:
    assert is_section(path) is holds


def test_leaves_are_values_and_empty_mappings() -> None:
    tree = {"a": {"b": 1, "c": {}}, "d": [{"e": 2}]}
    assert list(iter_leaves(tree)) == [(("a", "b"), 1), (("a", "c"), {}), (("d",), [{"e": 2}])]


def test_map_values_visits_every_value_with_its_path() -> None:
    tree = {"a": {"b": [1, 2]}, "c": 3}
    values = map_values(tree, lambda path, value: f"{join_key(path)}={value}")
    assert values == {"a": {"b": ["a.b.0=1", "a.b.1=2"]}, "c": "c=3"}


def test_set_secret_is_hidden_unset_one_stays_empty() -> None:
    tree = {"litellm": {"api_key": "sk-1", "provider": "glm"}}
    assert hide_secrets(tree) == {"litellm": {"api_key": "********", "provider": "glm"}}
    assert hide_secrets({"litellm": {"api_key": ""}}) == {"litellm": {"api_key": ""}}


def test_known_keys_are_all_accepted() -> None:
    assert [join_key(split_key(key)) for key in list_keys()] == list_keys()
    assert "litellm.api_key" in list_keys()


@pytest.mark.parametrize(
    "path, text, value",
    [
        (("model", "max_tokens"), "100", 100),
        (("model", "default"), "100", "100"),
        (("model", "show_thinking"), "true", True),
        (("tools", "disabled"), "[a, b]", ["a", "b"]),
        (("security", "mode"), "null", None),
        (("task", "test_command"), "make test # fast", "make test # fast"),
        (("unknown",), "[a]", "[a]"),
    ],
)
def test_value_is_text_for_text_keys_else_yaml(
    path: tuple[str, ...], text: str, value: object
) -> None:
    assert parse_value(path, text) == value


def test_a_value_that_is_not_yaml_is_refused() -> None:
    with pytest.raises(UsageError, match=r"`\[a` is not YAML"):
        parse_value(("tools", "disabled"), "[a")


def test_empty_sections_are_filled() -> None:
    tree = {"model": None, "security": {"mode": None}, "agents": {"build": None}}
    filled = {"model": {}, "security": {"mode": None}, "agents": {"build": {}}}
    assert fill_empty_sections(tree) == filled
