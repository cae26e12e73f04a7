"""A guess is only good when the very same bytes come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.filesystem.encodings import STRAYS, guess_encoding

CHINESE = "# 配置文件\nname = '测试'\n说明：这是一个例子。\n"


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
        ("Le café était très bien situé, près de l'hôtel.\n".encode("cp1252"), "cp1252"),
        (b"caf\xe9", "cp1252"),
        (b"\x81\x8d", "ascii"),  # which no encoding of few letters has
    ],
)
def test_the_encoding_is_guessed(data: bytes, encoding: str) -> None:
    assert guess_encoding(data) == encoding


@given(st.binary() | st.text("配置文件测试，。a\n €").map(lambda text: text.encode("gb18030")))
def test_every_guess_gives_back_the_very_same_bytes(data: bytes) -> None:
    encoding = guess_encoding(data)
    assert data.decode(encoding, STRAYS).encode(encoding, STRAYS) == data
