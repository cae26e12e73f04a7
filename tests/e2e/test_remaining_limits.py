"""What the model is told of the limits of a request, at the end of what it is sent."""

from faults import says
from program import Program
from provider import Provider


def ask(program: Program, provider: Provider, *options: str) -> list[list[dict[str, str]]]:
    """The messages of each request of a turn with one call."""
    provider.script([says("one"), {"text": "Done."}])
    ended = program.chat("Write a line", "--mode", "auto", *options)
    assert ended.code == 0
    return [request.body["messages"] for request in provider.requests]


def test_a_limit_is_reported_at_the_end_and_kept(program: Program, provider: Provider) -> None:
    limits = ["--max-steps", "7", "--timeout", "200"]
    first, second = ask(program, provider, *limits)
    assert "Left for this request: 7 of 7 model turns" in first[-1]["content"]
    assert "6 of 7 model turns" in second[-1]["content"] and "seconds" in second[-1]["content"]
    assert second[: len(first)] == first


def test_without_a_limit_nothing_is_reported(program: Program, provider: Provider) -> None:
    first, second = ask(program, provider)
    assert "Left for this request" not in str([first, second])
