"""Bytes of a test's output, as lines while they come."""

import pytest

from maxagent.cli.commands.test.live_output import LiveLines


@pytest.mark.parametrize(
    ("chunks", "printed"),
    [
        ([b"ok\n"], "ok\n"),
        ([b"o", b"k\nan", b"d"], "ok\nand\n"),
        (["fin \u00e9".encode()[:-1], b"\xa9"], "fin \u00e9\n"),
        (["fin \u00e9".encode()[:-1]], "fin \ufffd\n"),
        ([b"\xe9"], "\ufffd\n"),
        ([], ""),
    ],
)
def test_all_that_comes_is_shown(
    chunks: list[bytes], printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = LiveLines()
    for chunk in chunks:
        lines.add(chunk)
    lines.close()
    assert capsys.readouterr().err == printed
