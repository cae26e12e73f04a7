import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.sources import (
    Layer,
    build_layer,
    find_mistakes,
    format_mistakes,
    merge_layers,
    raise_mistakes,
)


def test_mappings_merge_and_everything_else_replaces() -> None:
    lower = Layer("lower", {"a": {"b": 1, "c": [1, 2]}, "d": 1, "e": {"f": 1}})
    upper = Layer("upper", {"a": {"c": [3]}, "d": {"x": 2}, "e": None})
    assert merge_layers([lower, upper]) == {"a": {"b": 1, "c": [3]}, "d": {"x": 2}, "e": None}
    assert lower.values["a"] == {"b": 1, "c": [1, 2]}


def test_a_single_value_is_a_layer() -> None:
    assert build_layer("flag", ("model", "default"), "x").values == {"model": {"default": "x"}}


def test_origin_is_line_of_key_or_its_section() -> None:
    layer = Layer("f.yaml", {}, {("model",): 3, ("model", "default"): 4})
    assert layer.find_origin(("model", "default")) == "f.yaml:4"
    assert layer.find_origin(("model", "merged_in")) == "f.yaml:3"
    assert layer.find_origin(("tools",)) == "f.yaml"


@pytest.mark.parametrize(
    "values, text",
    [
        ({"modle": 1}, "unknown key `modle`; did you mean `model`?"),
        ({"model": {"max_token": 1}}, "unknown key `model.max_token`; did you mean"),
        ({"model": 3}, "`model` must be a mapping, not `3`"),
        ({"model": None}, "`model` must be a mapping, not `null`"),
        ({"model": {"default": 4.6}}, "`model.default` must be a valid string, not `4.6`"),
        ({"model": {"max_tokens": True}}, "`model.max_tokens` must be a valid integer, not `true`"),
        ({"model": {"max_tokens": "9"}}, '`model.max_tokens` must be a valid integer, not `"9"`'),
        ({"model": {"max_tokens": 0}}, "`model.max_tokens` must be greater than 0, not `0`"),
        ({"model": {"temperature": float("nan")}}, "`model.temperature` must be a finite number"),
        ({"task": {"test_timeout": float("inf")}}, "`task.test_timeout` must be a finite number"),
        ({"model": {"show_thinking": "yes"}}, "`model.show_thinking` must be a valid boolean"),
        ({"tools": {"disabled": "grep"}}, '`tools.disabled` must be a valid list, not `"grep"`'),
        ({"tools": {"disabled": [{}]}}, "`tools.disabled.0` must be a valid string, not a mapping"),
        ({"language": "fr"}, "`language` must be '', 'en' or 'zh', not `\"fr\"`"),
        (
            {"security": {"mode": "yolo"}},
            "`security.mode` must be 'ask', 'edits', 'auto' or 'read-only', not `\"yolo\"`",
        ),
        (
            {"model": {"models": {"glm-4.6": {"api": "x"}}}},
            "`model.models.glm-4.6.api` must be 'chat', 'responses', 'anthropic' or",
        ),
        ({"permissions": {"deny": [5]}}, "`permissions.deny.0` must be a valid string, not `5`"),
        ({"permissions": {"ask": [{}]}}, "`permissions.ask.0.rule` is missing"),
        (
            {"permissions": {"deny": [{"rule": "edit", "mtch": []}]}},
            "unknown key `permissions.deny.0.mtch`; ",
        ),
        (
            {"permissions": {"deny": ["grep", {"rule": "edit", "match": "x"}]}},
            '`permissions.deny.1.match` must be a valid list, not `"x"`',
        ),
    ],
)
def test_a_mistake_says_what_is_allowed(values: dict[str, object], text: str) -> None:
    (result,) = find_mistakes(Layer("f", values)).values()
    assert result.startswith(text)


def test_a_wrong_secret_is_never_shown() -> None:
    (result,) = find_mistakes(Layer("f", {"litellm": {"api_key": 12345}})).values()
    assert result == "`litellm.api_key` must be a valid string, not the value there"


def test_a_report_is_in_line_order() -> None:
    lines = {("b",): 1, ("a",): 12, ("c",): 2}
    texts = {("a",): "third", ("b",): "first", ("c",): "second"}
    assert format_mistakes(Layer("f", {}, lines), texts) == [
        "f:1: first",
        "f:2: second",
        "f:12: third",
    ]


def test_all_mistakes_are_refused_in_one_message() -> None:
    raise_mistakes([])
    with pytest.raises(UsageError, match="^only one$"):
        raise_mistakes(["only one"])
    with pytest.raises(UsageError, match="^2 mistakes in the configuration:\n  one\n  two$"):
        raise_mistakes(["one", "two"])
