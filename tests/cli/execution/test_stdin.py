"""What is piped: text of any encoding, the ends of what is too long."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.cli.execution.stdin import CHUNK_SIZE, HEAD, KEPT, TAIL, read_text
from maxagent.config.errors import UsageError


class Trickle(io.BytesIO):
    """A pipe gives what is there, not as much as it is asked for."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or CHUNK_SIZE, 1000))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"one\r\ntwo\r\n", "one\ntwo"),
        ("\ufeffüber 中文".encode(), "über 中文"),
        ("编码是中文的旧文件\n".encode("gbk"), "编码是中文的旧文件"),
        ("Größe".encode("utf-16"), "Größe"),
        ("中文和更多中文".encode() + b" \xff", "中文和更多中文 \\xff"),
        (b"\n\nindented\n  more\n\n", "indented\n  more"),
    ],
)
def test_bytes_become_text(data: bytes, text: str) -> None:
    assert read_text(io.BytesIO(data)) == read_text(Trickle(data)) == text


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(UsageError, match="is not text"):
        read_text(io.BytesIO(b"\x89PNG\r\n\x1a\n\0\0\0"))


@pytest.mark.parametrize("size", [HEAD + TAIL + 1, 2 * KEPT, 2 * KEPT + CHUNK_SIZE + 1, 5 * KEPT])
def test_long_input_keeps_both_ends_and_warns(
    size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    text = read_text(io.BytesIO(b"a" * 100 + b"m" * (size - 200) + b"z" * 100))
    assert text.startswith("a" * 100 + "m") and text.endswith("m" + "z" * 100)
    assert f"has {size:,} bytes; its middle is left out" in text
    assert HEAD + TAIL < len(text) < HEAD + TAIL + 200
    assert f"note: the input has {size:,} bytes" in capsys.readouterr().err


def test_what_just_fits_is_whole() -> None:
    data = b"x" * (HEAD + TAIL)
    assert read_text(io.BytesIO(data)) == data.decode()


@given(st.binary())
def test_any_piped_input_is_sendable_or_refused(data: bytes) -> None:
    try:
        assert read_text(io.BytesIO(data)).encode() is not None
    except UsageError:
        return
