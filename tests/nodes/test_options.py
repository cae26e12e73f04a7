import pytest

from maxagent.config.errors import UsageError
from maxagent.nodes.options import Options, validate_options


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"mdoe": "read-only"}, "mode"),
        ({"Mode": "auto"}, "mode"),
        ({"max-cost": 1.0}, "max_cost"),
        ({"baseurl": "http://x"}, "base_url"),
        ({"skip_test": True}, "skip_tests"),
        ({"mode": "auto", "nonsense": 1}, ""),
    ],
)
def test_unknown_option_is_refused_with_the_nearest(options: dict[str, object], hint: str) -> None:
    with pytest.raises(UsageError, match="unknown option") as caught:
        validate_options(options)
    assert caught.value.hint.startswith(f"did you mean `{hint}`? " if hint else "There are: ")
    assert "max_turns" in caught.value.hint and caught.value.hint in str(caught.value)


def test_every_option_is_known() -> None:
    validate_options(dict.fromkeys(Options.__annotations__))


@pytest.mark.parametrize(
    ("options", "form"),
    [
        ({"max_turns": "three"}, "a whole number above 0"),
        ({"max_turns": True}, "a whole number above 0"),
        ({"max_turns": 0}, "a whole number above 0"),
        ({"max_cost": "1 dollar"}, "a number above 0"),
        ({"max_cost": -1}, "a number above 0"),
        ({"mode": "readonly"}, "`read-only`"),
        ({"effort": "maximum"}, "`max`"),
        ({"plan": "yes"}, "true or false"),
        ({"aside": "one text"}, "a list of texts"),
        ({"files": [1]}, "a list of texts"),
        ({"schema": "object"}, "a JSON object"),
        ({"model": 4}, "a text"),
    ],
)
def test_a_wrong_value_is_refused(options: dict[str, object], form: str) -> None:
    with pytest.raises(UsageError, match="cannot be") as caught:
        validate_options(options)
    assert form in caught.value.hint


@pytest.mark.parametrize(
    "options",
    [
        {"max_cost": 1, "max_turns": 3},
        {"aside": ("a", "b"), "models": []},
        {"schema": {"type": "object"}, "plan": False},
        {"mode": "read-only", "effort": "high", "thinking": "auto", "pr": "ask"},
    ],
)
def test_right_values_pass(options: dict[str, object]) -> None:
    validate_options(options)
