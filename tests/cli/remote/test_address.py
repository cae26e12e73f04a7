"""Which addresses are asked, and where the token comes from."""

from pathlib import Path

import pytest

from maxagent.cli.remote.address import TOKEN, TOKEN_FILE, read_address
from maxagent.config.errors import UsageError


@pytest.mark.parametrize(
    "url",
    ["https://box.example", "https://box.example:8443/", "http://127.0.0.1:4747", "http://[::1]:1"],
)
def test_addresses_that_are_asked(url: str) -> None:
    address = read_address(url, {TOKEN: "secret"})
    assert (address.url, address.token) == (url.rstrip("/"), "secret")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("box.example", "is not the address of a server"),
        ("ftp://box.example", "is not the address of a server"),
        ("https://", "is not the address of a server"),
        ("https://box:99999", "is not the address of a server"),
        ("https://[::1", "is not the address of a server"),
        ("http://box.example", "unprotected"),
        ("http://127.0.0.1.example", "unprotected"),
        ("https://box.example/#token=abc", "the address alone"),
        ("https://box.example/?token=abc", "the address alone"),
        ("https://me:secret@box.example", "the address alone"),
    ],
)
def test_addresses_that_are_refused(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_address(url, {TOKEN: "secret"})


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        (" secret\n", 0o600, ""),
        ("secret", 0o640, "others can read"),
        ("secret", 0o604, "others can read"),
        ("\n", 0o600, "is not known"),
        ("two message", 0o600, "characters"),
        ("sécret", 0o600, "characters"),
    ],
)
def test_a_file_has_the_token(tmp_path: Path, content: str, mode: int, message: str) -> None:
    file = tmp_path / "token"
    file.write_text(content)
    file.chmod(mode)
    if not message:
        assert read_address("https://box.example", {TOKEN_FILE: str(file)}).token == "secret"
        return
    with pytest.raises(UsageError, match=message):
        read_address("https://box.example", {TOKEN_FILE: str(file)})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_address("https://box.example", {TOKEN_FILE: str(tmp_path / "none")})
