"""Tool calls put together from what well- and ill-behaved providers send."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.models.chat_completions.tool_call_assembler import CallAssembler


def piece(arguments: Any = None, *, index: Any = None, id: Any = None, name: Any = None) -> dict:
    delta = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
    return {key: value for key, value in delta.items() if value is not None}


def assembled(*parts: dict) -> list[tuple[str, str, str]]:
    assembler = CallAssembler()
    for each in parts:
        assembler.add_delta(each)
    number = iter(range(100))
    calls = assembler.finish_calls(lambda: f"new{next(number)}")
    return [(call.id, call.name, call.arguments) for call in calls]


TWO = [("a", "read", '{"p":1}'), ("b", "edit", '{"q":2}')]
TWO_NAMELESS_IDS = [("new0", "read", '{"p":1}'), ("new1", "edit", '{"q":2}')]
TWICE = [("new0", "read", '{"p":1}'), ("new1", "read", '{"q":2}')]


@pytest.mark.parametrize(
    ("parts", "calls"),
    [
        pytest.param(
            [piece("", index=0, id="a", name="read"), piece('{"p"', index=0), piece(":1}", index=0),
             piece("", index=1, id="b", name="edit"), piece('{"q":2}', index=1)],
            TWO, id="as OpenAI does it"),
        pytest.param(
            [piece("", index=0, id="a", name="read"), piece("", index=1, id="b", name="edit"),
             piece('{"p"', index=0), piece('{"q"', index=1), piece(":2}", index=1),
             piece(":1}", index=0)],
            TWO, id="two calls at once"),
        pytest.param(
            [piece("", id="a", name="read"), piece('{"p"'), piece(":1}"),
             piece("", id="b", name="edit"), piece('{"q":2}')],
            TWO, id="no index"),
        pytest.param(
            [piece('{"p":1}', index=0, id="a", name="read"),
             piece('{"q"', index=0, id="b", name="edit"), piece(":2}", index=0)],
            TWO, id="index always 0"),
        pytest.param(
            [piece('{"p"', index=0, id="a", name="read"),
             piece(":1}", index=0, id="a", name="read"),
             piece('{"q"', index=1, id="b", name="edit"),
             piece(":2}", index=1, id="b", name="edit")],
            TWO, id="id and name in every piece"),
        pytest.param(
            [piece('{"p"', id="a", name="read"), piece(":1}", id="a", name="read"),
             piece('{"q":2}', id="b", name="edit")],
            TWO, id="id and name in every piece, no index"),
        pytest.param(
            [piece('{"p"', index=0, id="a", name="read"), piece(":1}", index=0, id="x"),
             piece("", index=0, id="y"), piece('{"q":2}', index=1, id="b", name="edit")],
            TWO, id="another id in every piece"),
        pytest.param(
            [piece("", index=0, id="a"), piece("", index=0, name="read"),
             piece('{"p":1}', index=0), piece('{"q":2}', index=1, id="b", name="edit")],
            TWO, id="the name after the id"),
        pytest.param(
            [piece('{"p":1}', index=0, id="a", name="read"),
             piece('{"p":1}', index=0, id="a", name="read"),
             piece('{"q":2}', index=1, id="b", name="edit"), piece("", index=1, name="edit")],
            TWO, id="the finished call once more"),
        pytest.param(
            [piece({"p": 1}, id="a", name="read"), piece({"q": 2}, id="b", name="edit")],
            [("a", "read", '{"p": 1}'), ("b", "edit", '{"q": 2}')], id="arguments as an object"),
        pytest.param(
            [piece('{"p":1}', index=0, id="", name="read"), piece('{"q":2}', index=1, name="edit")],
            TWO_NAMELESS_IDS, id="no ids"),
        pytest.param(
            [piece('{"p":1}', name="read"), piece('{"q":2}', name="edit")],
            TWO_NAMELESS_IDS, id="neither ids nor indexes"),
        pytest.param(
            [piece('{"p":1}', name="read"), piece('{"q":2}', name="read")],
            TWICE, id="neither ids nor indexes, the same tool"),
        pytest.param(
            [piece("", name="read"), piece('{"p"'), piece(":1}"), piece("", name="read"),
             piece('{"q":2}')],
            TWICE, id="neither ids nor indexes, the same tool in pieces"),
        pytest.param(
            [piece('{"p":1}', index=0, name="read"), piece('{"q":2}', index=0, name="read")],
            TWICE, id="no ids, index always 0, the same tool"),
        pytest.param(
            [piece('{"p":1}', index=0, id="a", name="read"),
             piece('{"q":2}', index=1, id="a", name="edit")],
            [("a", "read", '{"p":1}'), ("new0", "edit", '{"q":2}')], id="one id for all"),
        pytest.param(
            [piece('{"p":1}', id="read", name="read"), piece('{"q":2}', id="read", name="read")],
            [("read", "read", '{"p":1}'), ("new0", "read", '{"q":2}')], id="the name as id"),
        pytest.param(
            [piece('{"p"', index=0, id="a", name="read"), piece(":1}", index=1)],
            TWO[:1], id="counting pieces instead of calls"),
        pytest.param(
            [piece("{}", index=0, id="a", name="read"), piece('{"p"', index=0),
             piece(":1}", index=0)],
            TWO[:1], id="an empty object first"),
        pytest.param(
            [piece({}, index=0, id="a", name="read"), piece('{"p":1}', index=0)],
            TWO[:1], id="an empty object first, as an object"),
        pytest.param(
            [piece('{"p"', index=0, id="a", name="read"), piece('{"p":', index=0),
             piece('{"p":1}', index=0)],
            TWO[:1], id="all so far in every piece"),
        pytest.param(
            [piece(index=0, id="a", name="re"), piece(index=0, name="ad"),
             piece('{"p":1}', index=0)],
            TWO[:1], id="the name in pieces"),
        pytest.param(
            [piece(index=0, id="a", name="re"), piece(index=0, name="read"),
             piece('{"p":1}', index=0)],
            TWO[:1], id="the name so far in every piece"),
        pytest.param(
            [piece("{}", index=0, id="a", name="now"), piece("{}", index=1, id="b", name="now")],
            [("a", "now", "{}"), ("b", "now", "{}")], id="two empty objects"),
        pytest.param([piece("", id="a", name="now")], [("a", "now", "")], id="no arguments"),
        pytest.param([piece('{"p":1}')], [("new0", "unknown", '{"p":1}')], id="no name at all"),
        pytest.param([piece(), {"function": None}, {}], [], id="nothing"),
        pytest.param([{"id": 7, "function": {"name": ["x"], "arguments": [1]}}],
                     [("new0", "unknown", "[1]")], id="wrong types"),
    ],
)  # fmt: skip
def test_every_piece_finds_its_call(parts: list[dict], calls: list[tuple[str, str, str]]) -> None:
    assert assembled(*parts) == calls


ARGUMENTS = st.sampled_from(["{}", '{"p":1}', '{"p":"} {"}', '{"p":{"q":[]}}'])
CALLS = st.lists(st.tuples(st.sampled_from(["read", "edit"]), ARGUMENTS), max_size=4)


def portions(data: st.DataObject, text: str) -> list[str]:
    cuts = sorted(data.draw(st.lists(st.integers(1, len(text) - 1), max_size=3)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(CALLS, st.booleans(), st.booleans(), st.data())
def test_argument_boundaries_do_not_change_calls(
    calls: list[tuple[str, str]], indexed: bool, repeated: bool, data: st.DataObject
) -> None:
    parts: list[dict] = []
    for number, (name, arguments) in enumerate(calls):
        location = {"index": number} if indexed else {}
        head = {"id": f"id{number}", "name": name}
        first, *remainder = portions(data, arguments)
        parts.append(piece(first, **location, **head))
        parts += [piece(part, **location, **(head if repeated else {})) for part in remainder]
    expected = [(f"id{n}", name, arguments) for n, (name, arguments) in enumerate(calls)]
    assert assembled(*parts) == expected
