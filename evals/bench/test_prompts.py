"""What is sent to the model: short, and always begun with all that was sent before."""

import json
from pathlib import Path

import pytest
from contenders import EDITOR, MAXAGENT, editing, make_project, reading
from gauge import Gauge
from prompts import share_repeated, system_characters, tool_sizes
from provider import Provider, Request
from starts import SYSTEM_BAR

AT_ONCE = {
    "thinking": "I look at everything at once.",
    "tool_calls": [
        {"name": "read_file", "args": {"path": "notes.txt"}, "id": "a"},
        {"name": "grep", "args": {"pattern": "49"}, "id": "a"},
        {"name": "list_files", "args": {"path": ".."}},
    ],
}
BROKEN = {"tool_calls": [{"name": "read_file", "args": '{"path": "not'}]}
FIRST_REQUEST = 24_000
"""Bytes of the first request of a new user's thread, at most."""
MEMORY_TOOLS = ("search_memory", "record_note", "recall_notes")
UNKNOWN = {"text": "?", "tool_calls": [{"name": "launch_rocket", "args": {"to": "the moon"}}]}


def test_prompt_extends_previous_prompt_also_after_resume(
    provider: Provider, tmp_path: Path
) -> None:
    gauge, project, home = Gauge(provider, tmp_path), make_project(tmp_path), tmp_path / "home"
    answers = [AT_ONCE, editing(0), BROKEN, UNKNOWN, reading(1)]
    begun = EDITOR.run(gauge, project, home, answers)
    resumed = EDITOR.run(gauge, project, home, [reading(2)], again=True)
    of_the_coder = [*begun.requests[1:], *resumed.requests]
    assert len(of_the_coder) == len(answers) + 2 + 2
    assert share_repeated(of_the_coder) == 1.0


def test_first_prompts_are_short_and_equal_across_threads(
    provider: Provider, tmp_path: Path
) -> None:
    gauge, project = Gauge(provider, tmp_path), make_project(tmp_path)
    runs = [MAXAGENT.run(gauge, project, tmp_path / home) for home in ("one", "two")]
    architect, coder = runs[0].requests
    assert [request.raw for request in runs[0].requests] == [r.raw for r in runs[1].requests]
    for request in (architect, coder):
        assert 500 < system_characters(request) <= SYSTEM_BAR
        assert len(request.raw) <= FIRST_REQUEST
        sizes = tool_sizes(request)
        assert sum(sizes.pop(name) for name in MEMORY_TOOLS) <= 1_400
        assert sum(sizes.values()) <= 16_000


def request(**body: object) -> Request:
    return Request("", {}, json.dumps(body, separators=(",", ":")).encode())


@pytest.mark.parametrize(
    ("later", "whole"),
    [
        ({"model": "m", "messages": ["a", "b"]}, True),
        ({"model": "m", "messages": ["a"]}, True),
        ({"model": "m", "messages": ["c", "b"]}, False),
        ({"model": "n", "messages": ["a", "b"]}, False),
    ],
)
def test_changed_message_or_option_is_no_repetition(later: dict[str, object], whole: bool) -> None:
    share = share_repeated([request(model="m", messages=["a"]), request(**later)])
    assert (share == 1.0) is whole


def test_a_request_must_end_with_its_messages() -> None:
    with pytest.raises(ValueError, match="does not end"):
        share_repeated([request(messages=[], model="m")])
