"""Lines and bodies in which an answer stands, and what is no answer."""

import json

import pytest
from mcp.types import JSONRPCError, JSONRPCResponse

from maxagent.tools.mcp.client.raw_answers import read_unparsed_answer, repair_body

LINE = json.dumps({"jsonrpc": "2.0", "id": 7, "result": {"content": [{"text": "x"}]}})
NOTICE = '{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}'
DEEP = '{"jsonrpc":"2.0","id":7,"result":' + "[" * 9_000 + "]" * 9_000 + "}"
LONG = '{"jsonrpc":"2.0","id":7,"result":{"count":' + "9" * 9_000 + "}}"


@pytest.mark.parametrize(
    "line",
    [
        f"[INFO] sending {LINE}",
        f"\x1b[32m{LINE}\x1b[0m",
        f"{LINE}\0",
        f"{NOTICE}{LINE}",
        f"[{NOTICE}, {LINE}]",
        f"Content-Length: 9 {LINE}",
        LINE.replace("7", "7.0"),
        LINE.replace('"jsonrpc": "2.0", ', ""),
    ],
)
def test_answer_in_a_line_is_read(line: str) -> None:
    answer = read_unparsed_answer(line.encode())
    assert isinstance(answer, JSONRPCResponse)
    assert (answer.id, answer.result) == (7, {"content": [{"text": "x"}]})


@pytest.mark.parametrize("line", [DEEP, LONG, LINE.replace("result", "error")])
def test_unreadable_answer_is_an_error(line: str) -> None:
    answer = read_unparsed_answer(line.encode())
    assert isinstance(answer, JSONRPCError) and answer.id == 7


@pytest.mark.parametrize(
    "line",
    [NOTICE, "{}", "[]", '{"level": "info", "id": 7}', "Server ready: {id: 7}", '{"id": 7', ""],
)
def test_other_lines_are_no_answer(line: str) -> None:
    assert read_unparsed_answer(line.encode()) is None


@pytest.mark.parametrize(
    ("character", "expected"),
    [
        (b"\\ud83d", "\ufffd"),
        (b"\\ude00 \\ud83d", "\ufffd \ufffd"),
        (b"\\ud83d\\ude00", "\U0001f600"),
        (b"gr\xfc\xdfe", "gr\ufffd\ufffde"),
        (b"\\\\ud83d", "\\ud83d"),
    ],
)
def test_half_characters_are_replaced(character: bytes, expected: str) -> None:
    body = repair_body(LINE.encode().replace(b'"x"', b'"' + character + b'"'))
    answer = JSONRPCResponse.model_validate_json(body)
    assert answer.result == {"content": [{"text": expected}]}


def test_whole_body_stays_as_it_is() -> None:
    assert repair_body(b"\xef\xbb\xbf" + LINE.encode()) == LINE.encode()
