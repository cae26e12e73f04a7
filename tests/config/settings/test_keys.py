import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.keys import (
    hidden,
    holds_keys,
    join,
    known_keys,
    leaves,
    mapped,
    split,
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
    assert (split(key), join(path)) == (path, key)


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
        ("", "available: `litellm`, `model`"),
        ("xyz.", "available: `litellm`, `model`"),
    ],
)
def test_an_unknown_key_is_refused_with_what_was_meant_or_what_is_known(
    key: str, hint: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        split(key)
    assert refusal.value.message == f"unknown key `{key}`"
    assert refusal.value.hint.startswith(hint)


def test_the_type_of_a_key_is_found_below_a_models_own_name() -> None:
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
    assert holds_keys(path) is holds


def test_leaves_are_values_and_empty_mappings() -> None:
    tree = {"a": {"b": 1, "c": {}}, "d": [{"e": 2}]}
    assert list(leaves(tree)) == [(("a", "b"), 1), (("a", "c"), {}), (("d",), [{"e": 2}])]


def test_mapped_reaches_every_value_and_item_with_its_path() -> None:
    tree = {"a": {"b": [1, 2]}, "c": 3}
    shown = mapped(tree, lambda path, value: f"{join(path)}={value}")
    assert shown == {"a": {"b": ["a.b.0=1", "a.b.1=2"]}, "c": "c=3"}


def test_a_secret_is_hidden_and_an_unset_one_shows_that_it_is_unset() -> None:
    tree = {"litellm": {"api_key": "sk-1", "provider": "glm"}}
    assert hidden(tree) == {"litellm": {"api_key": "********", "provider": "glm"}}
    assert hidden({"litellm": {"api_key": ""}}) == {"litellm": {"api_key": ""}}


def test_known_keys_are_all_accepted() -> None:
    assert [join(split(key)) for key in known_keys()] == known_keys()
    assert "litellm.api_key" in known_keys()
