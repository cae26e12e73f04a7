import pytest

from maxagent.tools.result import ToolError
from maxagent.tools.web.response_body import classify_content, decode_body

GREETING = "Grüße, 你好"


@pytest.mark.parametrize(
    ("data", "content_type", "text"),
    [
        (GREETING.encode(), "text/html; charset=utf-8", GREETING),
        (GREETING.encode(), "text/html", GREETING),
        ("你好".encode("gbk"), 'text/html; Charset="GBK"', "你好"),
        ("你好".encode("big5"), "text/plain;charset=Big5", "你好"),
        ("こんにちは".encode("euc-jp"), "text/plain; charset=EUC-JP", "こんにちは"),
        ("“Grüße”".encode("cp1252"), "text/html; charset=ISO-8859-1", "“Grüße”"),
        ("привет".encode("koi8-r"), "text/html; charset=koi8-r", "привет"),
        (GREETING.encode("utf-16"), "text/html; charset=latin-1", GREETING),
        (b"\xef\xbb\xbfa\r\nb", "text/plain; charset=ascii", "a\nb"),
        (b"a\r\nb\rc", "text/plain; charset=utf-8", "a\nb\nc"),
        ('<meta charset="gb2312">你好'.encode("gbk"), "text/html", '<meta charset="gb2312">你好'),
        (b"x\xff", "text/plain; charset=utf-8", "x\ufffd"),
        (b"rot13 of it", "text/plain; charset=rot13", "rot13 of it"),
        (b"\\u0041 a-b-c", "text/plain; charset=unicode_escape", "\\u0041 a-b-c"),
        (b"a-b-c", "text/plain; charset=punycode", "a-b-c"),
        (b"x", "text/plain; charset=nonsense", "x"),
    ],
)
def test_a_page_is_read_in_its_own_letters(data: bytes, content_type: str, text: str) -> None:
    assert decode_body(data, content_type) == text


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("text/html; charset=x", "html"),
        ("application/xhtml+xml", "html"),
        ("TEXT/Plain", "text"),
        ("", "text"),
        ("text/markdown", "text"),
        ("application/json", "text"),
        ("application/ld+json", "text"),
        ("application/atom+xml", "text"),
        ("image/svg+xml", "text"),
        ("application/x-yaml", "text"),
        ("image/png", ""),
        ("application/octet-stream", ""),
        ("application/pdf", ""),
        ("application/zip; text/html", ""),
    ],
)
def test_only_text_is_read(content_type: str, kind: str) -> None:
    if kind:
        assert classify_content(content_type) == kind
    else:
        with pytest.raises(ToolError, match="only text"):
            classify_content(content_type)


def test_binary_content_is_refused_whatever_it_calls_itself() -> None:
    with pytest.raises(ToolError, match="binary"):
        decode_body(b"\x00\x01\x02" * 100, "text/html")
