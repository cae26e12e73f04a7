"""Where a stream of LangGraph's server goes on: its IDs are no numbers of events."""

from collections.abc import Sequence

import pytest

from maxagent.cli.remote.agent_server import StreamPosition

Events = Sequence[tuple[str, str]]


@pytest.mark.parametrize(
    ("before", "position", "after", "new"),
    [
        ([], "0", [("1764300000000-0", "a")], "a"),
        ([("1764300000000-0", "a")], "1764300000000", [("1764300000000-0", "a")], ""),
        (
            [("1764300000000-0", "a"), ("1764300000000-0", "a")],
            "1764300000000",
            [("1764300000000-0", letter) for letter in "aaab"],
            "ab",
        ),
        (
            [("1764300000000-9", "a")],
            "1764300000000",
            [("1764300000000-9", "a"), ("1764300000000-10", "b")],
            "b",
        ),
        (
            [("1764300000000-0", "a"), ("1764300000001-0", "b")],
            "1764300000001",
            [("1764300000000-0", "a"), ("1764300000001-0", "b"), ("1764300000002-0", "b")],
            "b",
        ),
        ([("run_event_7", "a")], "run_event_7", [("run_event_8", "b")], "b"),
        ([("", "a")], "0", [("", "b")], "b"),
    ],
)
def test_a_stream_goes_on_where_it_was(
    before: Events, position: str, after: Events, new: str
) -> None:
    stream = StreamPosition()
    stream.begin()
    assert all(stream.advance(*event) for event in before)
    assert stream.begin() == position
    assert "".join(data for event_id, data in after if stream.advance(event_id, data)) == new
