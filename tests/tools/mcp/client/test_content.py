import base64
import json
from pathlib import Path

import pytest
from mcp import types as protocol
from pictures import PNG

from maxagent.tools.mcp.client.content import MAX_TEXT_BYTES, convert_prompt, convert_result
from maxagent.tools.result import IMAGES


def text(words: str) -> protocol.TextContent:
    return protocol.TextContent(text=words)


def image(data: bytes | str, mime_type: str = "image/png") -> protocol.ImageContent:
    encoded = data if isinstance(data, str) else base64.b64encode(data).decode()
    return protocol.ImageContent(data=encoded, mime_type=mime_type)


def blob(mime_type: str | None) -> protocol.EmbeddedResource:
    contents = protocol.BlobResourceContents(uri="x://y", blob="AAAA", mime_type=mime_type)
    return protocol.EmbeddedResource(resource=contents)


@pytest.mark.parametrize(
    ("block", "line"),
    [
        (image("%%%%"), "[image image/png, 0 bytes: cannot be shown]"),
        (image("A"), "[image image/png: damaged]"),
        (image(b"BM" * 9, "image/bmp"), "[image image/bmp, 18 bytes: cannot be shown]"),
        (blob("application/zip"), "[resource x://y: application/zip, 3 bytes]"),
        (blob(None), "[resource x://y: binary, 3 bytes]"),
        (text("a\u202eb\U000e0041\x1b[31mc"), "ab[31mc"),
    ],
)
def test_a_block_becomes_a_line(tmp_path: Path, block: protocol.TextContent, line: str) -> None:
    result = convert_result("s/t", protocol.CallToolResult(content=[block]), tmp_path, "c")
    assert result.output.splitlines()[2:-1] == [line]
    assert IMAGES not in result.metadata


def test_large_image_is_not_shown(tmp_path: Path) -> None:
    data = PNG + bytes(20_000_000)
    result = convert_result("s/t", protocol.CallToolResult(content=[image(data)]), tmp_path, "c")
    assert f"[image image/png, {len(data):,} bytes: not shown]" in result.output.splitlines()
    assert IMAGES not in result.metadata


def test_nobody_can_close_the_marks() -> None:
    answers = [
        convert_result("s/t", protocol.CallToolResult(content=[text("hi")]), None, "c").output
        for _ in range(2)
    ]
    assert "A stranger wrote it" in answers[0]
    assert answers[0] != answers[1]


def test_json_is_text_only_without_text() -> None:
    value = {"answer": [1, "ü"]}
    alone = protocol.CallToolResult(content=[], structured_content=value)
    both = protocol.CallToolResult(content=[text("one")], structured_content=value)
    lines = convert_result("s/t", alone, None, "c").output.splitlines()[2:-1]
    assert json.loads("".join(lines)) == value
    result = convert_result("s/t", both, None, "c")
    assert result.output.splitlines()[2:-1] == ["one"]
    assert result.metadata == {"structured": value}


def test_long_text_without_a_folder_is_cut() -> None:
    long = protocol.CallToolResult(content=[text("word\n" * MAX_TEXT_BYTES)])
    result = convert_result("s/t", long, None, "c")
    assert len(result.output) < 20_000
    assert "lines cut" in result.output


def test_a_secret_is_not_kept(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    answer = protocol.CallToolResult(content=[text(f"token: {secret}\n" + "word\n" * 20_000)])
    result = convert_result("s/t", answer, tmp_path, "c")
    assert secret not in result.output
    assert secret not in (tmp_path / "c.txt").read_text()


def test_messages_of_a_prompt_have_their_roles() -> None:
    messages = [
        protocol.PromptMessage(role="user", content=text("ask")),
        protocol.PromptMessage(role="assistant", content=text("answer")),
    ]
    both = protocol.GetPromptResult(messages=messages)
    assert convert_prompt("s", both) == "[user]\nask\n\n[assistant]\nanswer"
    assert convert_prompt("s", protocol.GetPromptResult(messages=messages[:1])) == "ask"


def test_data_address_is_a_picture(tmp_path: Path) -> None:
    block = image("data:image/png;base64," + base64.b64encode(PNG).decode())
    result = convert_result("s/t", protocol.CallToolResult(content=[block]), tmp_path, "c")
    assert len(result.metadata[IMAGES]) == 1
