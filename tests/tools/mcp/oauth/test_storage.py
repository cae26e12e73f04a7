"""The file of logins to servers."""

import json
import stat
from pathlib import Path

import pytest
from oauth_server import Server

from maxagent.config.paths import locate_mcp_logins
from maxagent.config.security.redaction import redact
from maxagent.tools.mcp.oauth.storage import (
    CorruptLoginsError,
    ServerLogin,
    has_login,
    read_login,
    remember_logins,
    update_login,
)

SERVER = Server("one", "https://one.example/mcp")
LOGIN = ServerLogin(
    "https://issuer", "client", "https://issuer/token", access_token="aB3-xYz9_Qw7.pL2k"
)


def test_a_login_is_kept_privately_and_redacted(tmp_path: Path) -> None:
    assert not has_login(tmp_path, SERVER)
    update_login(tmp_path, SERVER, lambda _: LOGIN)
    assert read_login(tmp_path, SERVER) == LOGIN
    assert has_login(tmp_path, SERVER)
    file = locate_mcp_logins(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert LOGIN.access_token not in redact(f"the token {LOGIN.access_token}")


def test_unused_logins_are_redacted_too(tmp_path: Path) -> None:
    file = locate_mcp_logins(tmp_path)
    file.parent.mkdir(parents=True)
    row = {"issuer": "a", "client_id": "b", "token_endpoint": "c", "refresh_token": "zZ8-qW5_eR2.t"}
    file.write_text(json.dumps({"two https://two.example": row}))
    remember_logins(tmp_path)
    assert redact("it is zZ8-qW5_eR2.t") == "it is [secret: two-login]"
    file.write_text("damaged")
    remember_logins(tmp_path)


def test_a_forgotten_login_is_gone(tmp_path: Path) -> None:
    update_login(tmp_path, SERVER, lambda _: LOGIN)
    update_login(tmp_path, SERVER, lambda _: None)
    assert json.loads(locate_mcp_logins(tmp_path).read_text()) == {}


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', '{"a": {"issuer": 3}}', '{"a": {}}'])
def test_a_damaged_file_is_named(tmp_path: Path, content: str) -> None:
    file = locate_mcp_logins(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text(content)
    with pytest.raises(CorruptLoginsError, match="cannot read the stored logins"):
        read_login(tmp_path, SERVER)
