"""What a request chooses for a run: options, answers, what holds from now on."""

from typing import Any

import pytest

from maxagent.cli.web.request_body import read_answers, read_context, read_options
from maxagent.config.errors import UsageError


def test_options_are_those_of_the_sdk() -> None:
    body = {"text": "Hi", "mode": "plan", "model": "a/b", "options": {"max_turns": 3}}
    expected = {"mentioning": "Hi", "plan": True, "model": "a/b", "max_turns": 3}
    assert read_options(body) == expected


@pytest.mark.parametrize("name", ["base_url", "served_model", "speaker", "subagent", "files", "x"])
def test_an_option_that_is_no_clients_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"the option `{name}` cannot be chosen here"):
        read_options({"text": "Hi", "options": {name: "value"}})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "must be a list"),
        ({}, "must be a list"),
        ("yes", "must be a list"),
        ([{"agree": True}], "an answer is not one"),
        ([{"approve": "perhaps"}], "approve"),
        ([{"decisions": "all"}], "decisions"),
    ],
)
def test_an_answer_that_is_none_is_refused(value: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_answers(value)


def test_answers_are_those_of_the_sdk() -> None:
    [first, second] = read_answers([{"approve": True, "question": "1"}, {"text": "two"}])
    assert (first.approve, first.question, second.text) == (True, "1", "two")


@pytest.mark.parametrize("body", [{"mode": "plan"}, {"mode": "any"}, {"model": 1}])
def test_a_run_goes_on_with_what_can_be(body: dict[str, Any]) -> None:
    assert read_context({"mode": "auto", "model": "a/b"}).mode == "auto"
    with pytest.raises(UsageError):
        read_context(body)
