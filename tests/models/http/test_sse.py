"""Server-sent events from bytes in any portions."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.models.http import sse
from maxagent.models.http.sse import EventDecoder, EventTooLongError, parse_json_values


def decode(*portions: bytes) -> list[str]:
    decoder = EventDecoder()
    events = [event for portion in portions for event in decoder.feed(portion)]
    return events + decoder.close()


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: one\n\ndata: two\n\n", ["one", "two"]),
        (b"data:one\n\n", ["one"]),
        (b"data:  one\n\n", [" one"]),
        (b"data: one\r\n\r\ndata: two\r\n\r\n", ["one", "two"]),
        (b"data: one\r\rdata: two\r\r", ["one", "two"]),
        (b": keep-alive\n\n: again\n\ndata: one\n\n", ["one"]),
        (b"event: message\nid: 7\nretry: 9\ndata: one\n\n", ["one"]),
        (b"data: one\ndata: two\n\n", ["one\ntwo"]),
        (b"data: one", ["one"]),
        (b"data: one\r", ["one"]),
        (b"data\n\n\n\n", []),
        ("data: a\u2028b\x85c\x0bd\n\n".encode(), ["a\u2028b\x85c\x0bd"]),
        (b"data: \xff\n\n", ["\ufffd"]),
        (b"", []),
    ],
)
def test_events_are_gathered(stream: bytes, events: list[str]) -> None:
    assert decode(stream) == events


LINES = ["data: one", "data:", "data: 中 {", ": ping", "event: x", "", "", "junk"]


@given(st.lists(st.sampled_from(LINES)), st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_it_does_not_matter_where_the_portions_end(
    lines: list[str], line_end: str, data: st.DataObject
) -> None:
    stream = line_end.join(lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    portions = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert decode(*portions) == decode(stream)


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('{"a": 1}\n{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}\n[DONE]', [{"a": 1}]),
        ('{"a": "raw\nline"}', [{"a": "raw\nline"}]),
        ("[DONE]", []),
        ("ping", []),
        ("", []),
    ],
)
def test_an_event_holds_json_objects(data: str, values: list[dict]) -> None:
    assert list(parse_json_values(data)) == values


@pytest.mark.parametrize("data", ['{"a": ', '{"a": 1} {', '{"a":' * 100_000])
def test_broken_json_is_an_error(data: str) -> None:
    with pytest.raises(ValueError):
        list(parse_json_values(data))


@pytest.mark.parametrize("portion", [b"x" * 1_000, b"data: x\n"], ids=["line", "event"])
def test_an_event_without_end_is_bounded(portion: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 10_000)
    decoder = EventDecoder()
    with pytest.raises(EventTooLongError):
        for _ in range(2_000):
            decoder.feed(portion)


def test_many_events_are_no_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 100)
    assert len(decode(*[b": alive\ndata: a\n", b"data: b\n\n"] * 50)) == 50


@pytest.mark.parametrize("portion", [b"x" * 2_000, b"data: x\n"], ids=["line", "event"])
def test_time_grows_with_the_length_of_an_event(portion: bytes) -> None:
    def seconds(portions: int) -> float:
        decoder, process_time = EventDecoder(), time.process_time()
        for _ in range(portions):
            decoder.feed(portion)
        return time.process_time() - process_time

    few = min(seconds(350) for _ in range(5))
    many = min(seconds(3_500) for _ in range(3))
    assert many < 40 * few, "ten times as much takes ten times as long, not a hundred"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_byte_order_mark_loses_no_event(size: int, end: bytes) -> None:
    stream = b"\xef\xbb\xbfdata: one" + end * 2 + b"data: \xef\xbb\xbftwo" + end * 2
    decoder = EventDecoder()
    events = [
        event
        for at in range(0, len(stream), size)
        for event in decoder.feed(stream[at : at + size])
    ]
    assert [*events, *decoder.close()] == ["one", "\ufefftwo"]
