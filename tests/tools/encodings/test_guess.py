"""A guess is only made where the bytes prove it, and gives the very same bytes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.encodings.guess import STRAYS, UNKNOWN, guess_encodings

CHINESE = "# 配置文件\nname = '测试'\n说明：这是一个例子。\n"
FRENCH = "Le café était très bien situé, près de l'hôtel où l'on dînait.\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"plain", "utf-8"),
        (CHINESE.encode(), "utf-8"),
        (CHINESE.encode("gbk"), "gbk"),
        ((CHINESE + "€").encode("gb18030"), "gb18030"),  # which Python's GBK does not have
        ((CHINESE + "𠀀").encode("gb18030"), "gb18030"),  # four bytes
        (CHINESE.encode("gbk") + b"\x80", "gbk"),  # as Windows writes the euro: a stray byte
        (CHINESE.encode("gbk")[:-2] + b"\n", "gbk"),  # cut in the middle of a character
        (FRENCH.encode("cp1252"), "cp1252"),
        ("検索の設定を読み込む\n".encode("iso2022_jp"), "iso2022_jp"),
        (b"caf\xe9", UNKNOWN),  # which could be a Czech or a Baltic letter, too
        (b"\x81\x8d", UNKNOWN),
        (CHINESE.encode() * 2 + CHINESE.encode("gbk") * 2, UNKNOWN),  # two encodings in one file
        (b"\x1b$B broken \x1b(B\n", UNKNOWN),
    ],
)
def test_the_encoding_is_guessed(data: bytes, encoding: str) -> None:
    assert guess_encodings(data)[0] == encoding


@given(st.binary() | st.text("配置文件测试，。a\n €").map(lambda text: text.encode("gb18030")))
def test_every_guess_gives_back_the_very_same_bytes(data: bytes) -> None:
    for encoding in guess_encodings(data):
        assert data.decode(encoding, STRAYS).encode(encoding, STRAYS) == data
