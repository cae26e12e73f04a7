import pytest

from maxagent.config.errors import UsageError
from maxagent.nodes.options import Options, validate_option_names


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
        validate_option_names(options)
    assert caught.value.hint == (f"did you mean `{hint}`?" if hint else "")


def test_every_option_is_known() -> None:
    validate_option_names(dict.fromkeys(Options.__annotations__))
