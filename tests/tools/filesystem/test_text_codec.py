"""Whatever a text file is written in, it goes back byte for byte."""

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maxagent.tools.filesystem.text_codec import (
    as_read,
    decode_text,
    encode_text,
    normalize_newlines,
    split_lines,
    to_one_line,
    to_printable,
)
from maxagent.tools.result import ToolError

FRENCH = "Le café était très bien situé, près de l'hôtel où l'on dînait à la fenêtre."
CHINESE = "# 配置文件\nname = '测试'\n说明：这是一个例子。\n"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"plain\n", "plain\n", "utf-8"),
        (CHINESE.encode(), CHINESE, "utf-8"),
        (CHINESE.encode("gbk"), CHINESE, "gbk"),
        ("汉字编码检测\n".encode("gbk"), "汉字编码检测\n", "gbk"),
        ("朱镕基在北京开会，讨论经济".encode("gbk"), "朱镕基在北京开会，讨论经济", "gbk"),
        ("价格：一百€，测试".encode("gb18030"), "价格：一百€，测试", "gb18030"),
        (codecs.BOM_UTF8 + b"a\n", "a\n", "utf-8"),
        (codecs.BOM_UTF16_LE + "é汉\n".encode("utf-16-le"), "é汉\n", "utf-16-le"),
        (codecs.BOM_UTF16_BE + "é汉\n".encode("utf-16-be"), "é汉\n", "utf-16-be"),
        (CHINESE.encode() + b"\xff\n", CHINESE + "\udcff\n", "utf-8"),
    ],
)
def test_the_encoding_is_found(data: bytes, text: str, encoding: str) -> None:
    decoded = decode_text(data)
    assert (decoded.text, decoded.encoding) == (text, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# größter Wert für übrige Schlüssel, gemäß der Größe\nx = 1\n", "cp1252"),
        (f"{FRENCH}\n", "cp1252"),
        ("He said “hello” – and it’s fine\n", "cp1252"),
        ("# Привет мир, это проверка кодировки\n", "cp1251"),
        ("# Привет мир, это проверка кодировки\n", "koi8_r"),
        ("# これはテストです。日本語の設定ファイル\n", "cp932"),
        ("# これはテストです。日本語の設定ファイル\n", "euc_jp"),
    ],
)
def test_another_language_is_not_taken_for_chinese(text: str, encoding: str) -> None:
    decoded = decode_text(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, encoding)


def test_large_file_is_guessed_from_its_beginning() -> None:
    text = "for the whole lot\n" * 10_000 + "et le café était très bien situé\n"
    decoded = decode_text(text.encode("cp1252"))
    assert encode_text(decoded, decoded.text) == text.encode("cp1252")


@pytest.mark.parametrize(
    ("text", "encoding", "letters"),
    [
        (FRENCH, "cp1252", "€"),  # not in ISO 8859-1, another byte in ISO 8859-15
        ("Οι ρυθμίσεις διαβάζονται σε κάθε εκκίνηση", "cp1253", "Άρνηση"),  # another in ISO 8859-7
        ("Настройки читаются при каждом запуске программы", "koi8_r", "║"),
        ("Настройки читаются при каждом запуске программы", "koi8_r", "є"),
        ("설정은 파일에 저장되며 다시 읽습니다", "euc_kr", "똠"),  # only in CP949
        ("Kullanıcı şifresini değiştirdiğinde kapatılır, günlüğe yazılır", "cp1254", "€"),
    ],
)
def test_letters_of_unknown_bytes_are_refused(text: str, encoding: str, letters: str) -> None:
    decoded = decode_text(text.encode(encoding))
    assert decoded.text == text
    with pytest.raises(ToolError, match="not certain|cannot hold"):
        encode_text(decoded, f"{text} {letters}")


def test_shown_bytes_never_become_letters() -> None:
    assert to_printable("\udcca\udcb1 \udcff") == "\\xca\\xb1 \\xff"


@given(st.binary())
@example(b"\r\n\n\r\r\r\n")
@example(b"\xff\xfea")
@example(codecs.BOM_UTF8 + b"\xff\r\n\n")
@example(b"\xe9t\xe9 \x81")
def test_an_unchanged_text_gives_back_the_same_bytes(data: bytes) -> None:
    try:
        decoded = decode_text(data)
    except ToolError:
        return
    assert encode_text(decoded, decoded.text) == data


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
    with pytest.raises(ToolError, match="binary|damaged"):
        decode_text(data)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_line_endings_and_the_last_line_are_kept(newline: str, end: str) -> None:
    data = ("one\ntwo" + end).replace("\n", newline).encode()
    decoded = decode_text(data)
    assert (decoded.text, decoded.endings.usual) == ("one\ntwo" + end, newline)
    changed = decoded.text.replace("two", "2\n3")
    assert encode_text(decoded, changed) == changed.replace("\n", newline).encode()


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
def test_untouched_lines_of_mixed_file_keep_their_endings(
    old: bytes, change: tuple[str, str], new: bytes
) -> None:
    decoded = decode_text(old)
    assert encode_text(decoded, decoded.text.replace(*change)) == new


@given(st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "\r\n"]), min_size=2), st.data())
def test_line_added_to_mixed_file_changes_no_other(lines: list[str], data: st.DataObject) -> None:
    location = data.draw(st.integers(0, len(lines)))
    decoded = decode_text("".join(lines).encode())
    texts = normalize_newlines("".join(lines)).split("\n")[:-1]
    changed = [*texts[:location], "new", *texts[location:]]
    written = encode_text(decoded, "\n".join([*changed, ""])).decode().split("\n")[:-1]
    retained = [line + "\n" for number, line in enumerate(written) if number != location]
    assert retained == lines and written[location].removesuffix("\r") == "new"


def test_what_the_encoding_cannot_hold_is_refused() -> None:
    western = decode_text(FRENCH.encode("latin-1"))
    with pytest.raises(ToolError, match="cannot hold U\\+6C49"):
        encode_text(western, "汉")
    with pytest.raises(ToolError, match="gbk, cannot hold U\\+1F600"):
        encode_text(decode_text(CHINESE.encode("gbk")), "😀")
    with pytest.raises(ToolError, match="cannot hold U\\+D83D"):
        encode_text(decode_text(b"plain"), "half of a pair: \ud83d")
    with pytest.raises(ToolError, match="cannot hold U\\+DCFF"):
        encode_text(decode_text(b"plain"), "a stray byte: \udcff")


def test_unknown_encoding_allows_only_ascii() -> None:
    unknown = decode_text(b"name = '\x81\x8d'\n")
    assert encode_text(unknown, unknown.text.replace("name", "title")) == b"title = '\x81\x8d'\n"
    with pytest.raises(ToolError, match="not certain .unknown.* U\\+00E9"):
        encode_text(unknown, unknown.text.replace("name", "é"))


def test_chinese_file_with_stray_byte_stays_chinese() -> None:
    old = CHINESE.encode("gbk") + b"\x80\n"
    decoded = decode_text(old)
    assert encode_text(decoded, decoded.text.replace("测试", "例子")) == (
        CHINESE.replace("测试", "例子").encode("gbk") + b"\x80\n"
    )


def test_stray_bytes_survive_a_change_elsewhere() -> None:
    decoded = decode_text("汉字汉字good\n".encode() + b"\xff bad\n")
    assert (
        encode_text(decoded, decoded.text.replace("good", "字"))
        == "汉字汉字字\n".encode() + b"\xff bad\n"
    )


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
    assert split_lines(text) == lines


def test_names_and_bytes_not_text_become_escapes() -> None:
    assert to_printable("a\udcffb\nc") == "a\\xffb\nc"
    assert to_one_line("two\nlines\x1b\u2028\udcff") == "two\\nlines\\x1b\\u2028\\xff"
    assert to_one_line("文\u3000件 🙂") == "文\u3000件 🙂"


def test_byte_order_mark_sent_along_is_not_doubled() -> None:
    marked = decode_text(codecs.BOM_UTF8 + b"a = 1\n")
    assert encode_text(marked, as_read(marked, "\ufeffa = 2\n")) == codecs.BOM_UTF8 + b"a = 2\n"
    plain = decode_text(b"a = 1\n")
    assert as_read(plain, "\ufeffa") == "\ufeffa"
