"""Whatever a text file is written in, it goes back byte for byte."""

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maxagent.tools.filesystem.text_codec import (
    as_read,
    decode,
    encode,
    lf,
    lines_of,
    one_line,
    printable,
)
from maxagent.tools.result import ToolRefusal

CHINESE = "# 配置文件\nname = '测试'\n说明：这是一个例子。\n"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"plain\n", "plain\n", "utf-8"),
        (CHINESE.encode(), CHINESE, "utf-8"),
        (CHINESE.encode("gbk"), CHINESE, "gbk"),
        ("汉字\n".encode("gbk"), "汉字\n", "gbk"),
        ("朱镕基在北京开会，讨论经济".encode("gbk"), "朱镕基在北京开会，讨论经济", "gbk"),
        ("价格：一百€，测试".encode("gb18030"), "价格：一百€，测试", "gb18030"),
        (codecs.BOM_UTF8 + b"a\n", "a\n", "utf-8"),
        (codecs.BOM_UTF16_LE + "é汉\n".encode("utf-16-le"), "é汉\n", "utf-16-le"),
        (codecs.BOM_UTF16_BE + "é汉\n".encode("utf-16-be"), "é汉\n", "utf-16-be"),
        (CHINESE.encode() + b"\xff\n", CHINESE + "\udcff\n", "utf-8"),
    ],
)
def test_the_encoding_is_found(data: bytes, text: str, encoding: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding) == (text, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# café\nx = 1\n", "cp1252"),
        ("int größe = 1;\n", "cp1252"),
        ("Le café était très bien situé, près de l'hôtel.\n", "cp1252"),
        ("He said “hello” – and it’s fine\n", "cp1252"),
        ("# Привет мир, это проверка кодировки\n", "cp1251"),
        ("# Привет мир, это проверка кодировки\n", "koi8_r"),
        ("# これはテストです。日本語の設定ファイル\n", "cp932"),
        ("# これはテストです。日本語の設定ファイル\n", "euc_jp"),
    ],
)
def test_another_language_is_not_taken_for_chinese(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, encoding)


def test_of_a_large_file_only_the_beginning_is_guessed_from() -> None:
    text = "for the whole lot\n" * 10_000 + "et le café était très bien situé\n"
    decoded = decode(text.encode("cp1252"))
    assert encode(decoded, decoded.text) == text.encode("cp1252")


@given(st.binary())
@example(b"\r\n\n\r\r\r\n")
@example(b"\xff\xfea")
@example(codecs.BOM_UTF8 + b"\xff\r\n\n")
@example(b"\xe9t\xe9 \x81")
def test_an_unchanged_text_gives_back_the_same_bytes(data: bytes) -> None:
    try:
        decoded = decode(data)
    except ToolRefusal:
        return
    assert encode(decoded, decoded.text) == data


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\0\0",
        b"text" + b"\0",
        "text".encode("utf-16-le"),
        codecs.BOM_UTF8 + b"a\0b",
        codecs.BOM_UTF16_LE + b"a\0\0\0",
        codecs.BOM_UTF16_LE + b"a\0b",
    ],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(ToolRefusal, match="binary|damaged"):
        decode(data)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_line_endings_and_the_last_line_are_kept(newline: str, end: str) -> None:
    data = ("one\ntwo" + end).replace("\n", newline).encode()
    decoded = decode(data)
    assert (decoded.text, decoded.endings.usual) == ("one\ntwo" + end, newline)
    changed = decoded.text.replace("two", "2\n3")
    assert encode(decoded, changed) == changed.replace("\n", newline).encode()


@pytest.mark.parametrize(
    ("old", "change", "new"),
    [
        (b"a\r\nb\nc\r\n", ("b", "B"), b"a\r\nB\nc\r\n"),
        (b"a\r\nb\nc\r\n", ("c", "C"), b"a\r\nb\nC\r\n"),
        (b"a\r\nb\nc\r\n", ("b\n", "b\nx\n"), b"a\r\nb\nx\nc\r\n"),
        (b"a\r\nb\nc\r\n", ("a\n", ""), b"b\nc\r\n"),
        (b"a\r\nb\nc\r\n", ("a", "x\ny\na"), b"x\r\ny\r\na\r\nb\nc\r\n"),
        (b"a\nb\r\nc", ("c", "c\nd"), b"a\nb\r\nc\r\nd"),
        (b"a\nb\r\nc\n", ("b\nc\n", "B\n"), b"a\nB\r\n"),
        (b"\r\n\n", ("\n\n", ""), b""),
    ],
)
def test_in_a_mixed_file_every_untouched_line_keeps_its_ending(
    old: bytes, change: tuple[str, str], new: bytes
) -> None:
    decoded = decode(old)
    assert encode(decoded, decoded.text.replace(*change)) == new


@given(st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "\r\n"]), min_size=2), st.data())
def test_a_line_put_into_a_mixed_file_changes_no_other(
    lines: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(lines)))
    decoded = decode("".join(lines).encode())
    texts = lf("".join(lines)).split("\n")[:-1]
    changed = [*texts[:place], "new", *texts[place:]]
    written = encode(decoded, "\n".join([*changed, ""])).decode().split("\n")[:-1]
    kept = [line + "\n" for number, line in enumerate(written) if number != place]
    assert kept == lines and written[place].removesuffix("\r") == "new"


def test_what_the_encoding_cannot_hold_is_refused() -> None:
    western = decode("Le café était très bien situé, près de l'hôtel.\n".encode("latin-1"))
    with pytest.raises(ToolRefusal, match="cannot hold U\\+6C49"):
        encode(western, "汉")
    with pytest.raises(ToolRefusal, match="gbk, cannot hold U\\+1F600"):
        encode(decode(CHINESE.encode("gbk")), "😀")
    with pytest.raises(ToolRefusal, match="cannot hold U\\+D83D"):
        encode(decode(b"plain"), "half of a pair: \ud83d")
    with pytest.raises(ToolRefusal, match="cannot hold U\\+DCFF"):
        encode(decode(b"plain"), "a stray byte: \udcff")


def test_where_no_encoding_is_known_only_ascii_can_be_written() -> None:
    unknown = decode(b"name = '\x81\x8d'\n")
    assert encode(unknown, unknown.text.replace("name", "title")) == b"title = '\x81\x8d'\n"
    with pytest.raises(ToolRefusal, match="ascii, cannot hold U\\+00E9"):
        encode(unknown, unknown.text.replace("name", "é"))


def test_a_chinese_file_with_a_stray_byte_is_still_one() -> None:
    old = CHINESE.encode("gbk") + b"\x80\n"
    decoded = decode(old)
    assert encode(decoded, decoded.text.replace("测试", "例子")) == (
        CHINESE.replace("测试", "例子").encode("gbk") + b"\x80\n"
    )


def test_stray_bytes_survive_a_change_elsewhere() -> None:
    decoded = decode("汉good\n".encode() + b"\xff bad\n")
    assert encode(decoded, decoded.text.replace("good", "字")) == "汉字\n".encode() + b"\xff bad\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\x0cb\u2028c\rd\n", ["a\x0cb\u2028c\rd"]),
    ],
)
def test_only_a_newline_ends_a_line(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


def test_names_and_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    assert printable("a\udcffb\nc") == "a\\xffb\nc"
    assert one_line("two\nlines\x1b\u2028\udcff") == "two\\nlines\\x1b\\u2028\\xff"
    assert one_line("文\u3000件 🙂") == "文\u3000件 🙂"


def test_a_byte_order_mark_that_is_sent_along_is_not_doubled() -> None:
    marked = decode(codecs.BOM_UTF8 + b"a = 1\n")
    assert encode(marked, as_read(marked, "\ufeffa = 2\n")) == codecs.BOM_UTF8 + b"a = 2\n"
    plain = decode(b"a = 1\n")
    assert as_read(plain, "\ufeffa") == "\ufeffa"
