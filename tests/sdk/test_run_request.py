"""What a human sends is usable, and brings no secret along."""

from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.sdk.run_request import chosen_options, refuse_unusable

KEY = "sk-ant-api03-" + "a1B2" * 12


@pytest.mark.parametrize(
    ("request_", "folder", "why"),
    [
        ("", "/p", "the request is empty"),
        (" \n\t", "/p", "the request is empty"),
        ("\ud800", "/p", "the request is not valid UTF-8"),
        ("Repair it", "/\udcff", "the folder's name is not valid UTF-8"),
    ],
)
def test_what_nothing_can_be_done_with_is_refused(request_: str, folder: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        refuse_unusable(request_, Path(folder))


def test_a_request_in_any_script_passes() -> None:
    refuse_unusable("修好测试 🙂", Path("/项目"))


def test_what_is_told_aside_holds_no_secret() -> None:
    options = chosen_options({"agent": "build", "aside": [f"key {KEY}"]}, "")
    assert options["agent"] == "build" and KEY not in str(options["aside"])
