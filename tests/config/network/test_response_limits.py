"""Bodies of answers within their bounds, however they are cut into pieces."""

import gzip
import json
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.config.network.response_limits import (
    DamagedResponseError,
    LimitedBody,
    ResponseLimitError,
    ResponseLimits,
    count_values,
    read_json,
)

MEGABYTE = 1_000_000


def pack(data: bytes, wbits: int) -> bytes:
    packer = zlib.compressobj(9, wbits=wbits)
    return packer.compress(data) + packer.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    " GZIP ": gzip.compress,
}


def read(encoding: str, data: bytes, limits: ResponseLimits, events: bool = False) -> bytes:
    body = LimitedBody(encoding, limits, is_events=events)
    indexes = [data[start : start + 65_536] for start in range(0, len(data), 65_536)]
    return b"".join(part for piece in indexes for part in body.decode(piece))


@settings(deadline=None)
@given(st.binary(max_size=2000), st.lists(st.integers(1, 50)), st.sampled_from([*ENCODERS]))
def test_pieces_are_put_together_again(data: bytes, sizes: list[int], encoding: str) -> None:
    packed, body, read = ENCODERS[encoding](data), LimitedBody(encoding, ResponseLimits()), b""
    for size in sizes:
        read += b"".join(body.decode(packed[:size]))
        packed = packed[size:]
    assert read + b"".join(body.decode(packed)) == data


def test_deflate_without_a_header_is_read() -> None:
    assert read("deflate", pack(b"hello", -15), ResponseLimits()) == b"hello"


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip,deflate", "compress", "é"])
def test_a_coding_not_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(ResponseLimitError, match="was not requested"):
        LimitedBody(encoding, ResponseLimits())


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_damage_is_no_bomb(encoding: str) -> None:
    with pytest.raises(DamagedResponseError):
        read(encoding, b"no such thing at all", ResponseLimits())


@pytest.mark.parametrize(
    ("encoding", "data", "limits", "events", "text"),
    [
        ("gzip", pack(bytes(30 * MEGABYTE), 31), ResponseLimits(), False, "over 100 times"),
        ("deflate", pack(bytes(30 * MEGABYTE), 15), ResponseLimits(), False, "over 100 times"),
        ("gzip", pack(bytes(30 * MEGABYTE), 31), ResponseLimits(), True, "over 100 times"),
        ("", b"x" * 2_001, ResponseLimits(2_000), False, "over 2,000 bytes"),
        (
            "gzip",
            gzip.compress(b"x" * 2_001, mtime=0),
            ResponseLimits(2_000),
            False,
            "over 2,000 bytes",
        ),
        (
            "gzip",
            gzip.compress(b"", mtime=0) + b"x" * 3_000,
            ResponseLimits(2_000),
            False,
            "over 2,000",
        ),
        ("", b"[" * 101, ResponseLimits(max_values=100), False, "over 100 values"),
        ("", b"[1,2]" * 60, ResponseLimits(max_values=100), False, "over 100 values"),
        ("", b"{}" * 101, ResponseLimits(max_values=100), False, "over 100 values"),
        ("", b"x" * 101, ResponseLimits(max_event_bytes=100), True, "an event is over 100"),
        ("", b"x" * 101, ResponseLimits(max_event_bytes=100), False, "over 100 bytes"),
        ("", b"data: 1\n\n" + b"x" * 101, ResponseLimits(max_event_bytes=100), True, "an event"),
        ("", b"data: " + b"[" * 101, ResponseLimits(max_values=100), True, "over 100 values"),
        ("", b"data: a\n\n" * 300, ResponseLimits(2_000), True, "over 2,000 bytes"),
    ],
)
def test_an_answer_ends_at_its_bounds(
    encoding: str, data: bytes, limits: ResponseLimits, events: bool, text: str
) -> None:
    with pytest.raises(ResponseLimitError, match=text):
        read(encoding, data, limits, events)


CSV = json.dumps({"text": 'a,[{"\\ é\n' * 500}, ensure_ascii=False)
TEXTS = ResponseLimits(max_values=100, skips_strings=True)


@settings(deadline=None)
@given(st.lists(st.integers(1, 200), max_size=100))
def test_commas_in_a_text_are_no_values(sizes: list[int]) -> None:
    for events in (False, True):
        content, body = f"data: {CSV}\n".encode(), LimitedBody("", TEXTS, is_events=events)
        for size in sizes:
            assert b"".join(body.decode(content[:size])) == content[:size]
            content = content[size:]
        assert b"".join(body.decode(content)) == content


def test_a_long_text_is_within_the_bounds() -> None:
    data = json.dumps("a,b,c\n" * 350_000).encode()
    limits = ResponseLimits(max_values=400_000, skips_strings=True)
    assert read("", data, limits) == data and read("", data, limits, events=True) == data
    with pytest.raises(ResponseLimitError):
        read("", data, ResponseLimits(max_values=400_000))


ARRAY = "[" + "1," * 101
BOMBS = {
    "plain": ARRAY,
    "after a text": '["a\\\\",' + ARRAY,
    "after an escaped quote": '["\\"",' + ARRAY,
    "after a tab in a text": '["\t",' + ARRAY,
    "after many texts": '""' * 9 + ARRAY,
    "after another line": 'event: "\ndata: ' + ARRAY,
    "after a comment": ': "\\\r\ndata: ' + ARRAY,
    "with the end of a line in a text": 'data: ["\ndata: ",' + ARRAY,
    "behind a control character": '"\x1b",' + ARRAY,
}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
@pytest.mark.parametrize("name", BOMBS)
def test_no_text_hides_values(name: str, size: int) -> None:
    for events in (False, True):
        data, body = BOMBS[name].encode(), LimitedBody("", TEXTS, is_events=events)
        with pytest.raises(ResponseLimitError):
            for at in range(0, len(data), size):
                list(body.decode(data[at : at + size]))


def test_values_in_another_encoding_are_counted() -> None:
    for coding in ("utf-16", "utf-16-be", "utf-32"):
        with pytest.raises(ResponseLimitError):
            read("", ('["\u2200",' + ARRAY).encode(coding), TEXTS)


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"])
def test_many_events_are_not_one(end: bytes) -> None:
    limits = ResponseLimits(max_event_bytes=100, max_values=20)
    data = (b"data: [1,2,3]" + end) * 500
    body = LimitedBody("", limits, is_events=True)
    assert b"".join(part for _ in range(10) for part in body.decode(data)) == data * 10


@settings(deadline=None)
@given(st.recursive(st.integers() | st.text(max_size=5), lambda each: st.lists(each) | st.dictionaries(st.text(), each)))  # fmt: skip # noqa: E501
def test_no_value_is_left_uncounted(value: object) -> None:
    def count(part: object) -> int:
        if isinstance(part, dict):
            return 1 + sum(map(count, part.values()))
        return 1 + sum(map(count, part)) if isinstance(part, list) else 1

    assert count_values(json.dumps(value).encode()) * 2 + 1 >= count(value)


@pytest.mark.parametrize("data", ["[" * 100_000, b'{"a":' * 100_000, "{", b"\xff", ""])
def test_json_of_any_kind_is_at_most_a_value_error(data: bytes | str) -> None:
    with pytest.raises(ValueError):
        read_json(data)
