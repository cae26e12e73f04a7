import pytest

from maxagent.sdk.events import Notice, Output, RunStarted, as_json, is_from_subagent, parse_event


@pytest.mark.parametrize("agent", ["", "explore-1"])
def test_agent_is_the_last_field_of_an_event(agent: str) -> None:
    event = Output("text", agent=agent)
    assert [*as_json(event).items()] == [("type", "output"), ("text", "text"), ("agent", agent)]
    assert parse_event(as_json(event)) == event


def test_only_events_of_a_child_are_from_one() -> None:
    assert is_from_subagent(Notice("x", agent="explore-1"))
    assert not is_from_subagent(Notice("x"))
    assert not is_from_subagent(RunStarted("t", "x", "/", "m", "ask", False))
