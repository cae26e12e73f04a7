"""The token of the page."""

from pathlib import Path

import pytest

from maxagent.cli.web.command import read_token


def test_a_token_stays_until_it_is_renewed(tmp_path: Path) -> None:
    first = read_token(tmp_path)
    assert read_token(tmp_path) == first
    assert read_token(tmp_path, renew=True) != first


@pytest.mark.parametrize("content", ["", "short", "a" * 42, "a" * 44, "\u00e9" * 43, "a b" * 20])
def test_a_damaged_token_is_replaced(tmp_path: Path, content: str) -> None:
    read_token(tmp_path)
    [file] = tmp_path.rglob("web-token")
    file.write_text(content)
    assert len(read_token(tmp_path)) == 43
