"""Stored keys and logins."""

import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.config.security.redaction import redact
from maxagent.models.auth.credentials import (
    CorruptCredentialsError,
    Credential,
    delete_credential,
    find_credentials,
    has_key,
    locate_credentials,
    read_credentials,
    remember_credentials,
    store_credential,
    update_credential,
)

KEY = Credential("plain-looking-key-4711")
LOGIN = Credential(
    "gho_token", account="octocat", host="https://x", session="tid=1", expires_at=3.0, renew_at=2.5
)


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    store_credential(tmp_path, "openai", KEY)
    store_credential(tmp_path, "copilot", LOGIN)
    assert read_credentials(tmp_path) == {"openai": KEY, "copilot": LOGIN}


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    store_credential(tmp_path, "openai", KEY)
    assert stat.S_IMODE(locate_credentials(tmp_path).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_deleted_key_is_gone(tmp_path: Path) -> None:
    store_credential(tmp_path, "openai", KEY)
    assert delete_credential(tmp_path, "openai") and read_credentials(tmp_path) == {}
    assert not delete_credential(tmp_path, "openai")
    assert KEY.secret not in locate_credentials(tmp_path).read_text()


def test_neither_key_nor_token_is_in_repr() -> None:
    assert KEY.secret not in repr(KEY) and "tid=1" not in repr(LOGIN)


def test_a_stored_key_is_redacted(tmp_path: Path) -> None:
    store_credential(tmp_path, "openai", replace(KEY, secret="unlike-any-other-0815"))
    remember_credentials(tmp_path)
    assert redact("it is unlike-any-other-0815!") == "it is [secret: openai-key]!"


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"openai": 1}', '{"openai": {"secret": 1}}', '{"a": {"b": "c"}}']
)
def test_a_damaged_file_is_an_error_with_hint(tmp_path: Path, content: str) -> None:
    store_credential(tmp_path, "openai", KEY)
    locate_credentials(tmp_path).write_text(content)
    with pytest.raises(CorruptCredentialsError, match=r"credentials\.json") as caught:
        read_credentials(tmp_path)
    assert "mcode auth login" in caught.value.hint
    remember_credentials(tmp_path)


def test_without_a_home_nothing_is_found(tmp_path: Path) -> None:
    store_credential(tmp_path, "openai", KEY)
    assert find_credentials({}) == {}
    assert find_credentials({"MAXAGENT_HOME": str(tmp_path)}) == {"openai": KEY}


def test_an_unchanged_credential_is_not_written(tmp_path: Path) -> None:
    store_credential(tmp_path, "openai", KEY)
    before = locate_credentials(tmp_path).stat().st_mtime_ns
    assert not update_credential(tmp_path, "openai", lambda old: old)
    assert locate_credentials(tmp_path).stat().st_mtime_ns == before


def test_parallel_processes_lose_no_key(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path;"
        "from maxagent.models.auth.credentials import Credential, store_credential;"
        "[store_credential(Path(sys.argv[1]), f'{sys.argv[2]}{n}', Credential('k' * 9))"
        " for n in range(20)]"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in ("a", "b")
    ]
    assert [process.wait() for process in running] == [0, 0]
    assert len(read_credentials(tmp_path)) == 40


def test_a_key_in_the_environment_or_stored_is_there(tmp_path: Path) -> None:
    assert not has_key({"OPENAI_API_KEY": " ", "PATH": "/"}, tmp_path)
    assert has_key({"ZHIPU_KEY": "k"}, tmp_path)
    store_credential(tmp_path, "groq", Credential("k"))
    assert has_key({}, tmp_path)
