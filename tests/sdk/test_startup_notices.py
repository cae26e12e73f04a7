from pathlib import Path

import pytest

from maxagent.config.instructions.discovery import load_instructions
from maxagent.config.trust.decision import check_trust, trust
from maxagent.sdk.startup_notices import (
    adapt_to_conversation,
    collect_ignored_notices,
    collect_network_notices,
    collect_notices,
    collect_trust_notices,
    describe_incomplete_instructions,
)


def test_in_a_repository_nothing_is_missing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert collect_notices(tmp_path, None) == []
    assert collect_notices(tmp_path / "below", None) == []


def test_notice_outside_repository_names_missing_features(tmp_path: Path) -> None:
    (message,) = collect_notices(tmp_path, None)
    assert f"`{tmp_path}` is not in a git repository" in message and "no history" in message


def test_without_git_the_loss_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (message,) = collect_notices(tmp_path, None)
    assert message.startswith("git is not installed") and "undone" in message


def test_folder_in_place_of_configuration_is_reported(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".llc.yaml").mkdir()
    (message,) = collect_notices(tmp_path, None)
    assert message.startswith("`.llc.yaml` is an empty folder")


def test_a_damaged_database_is_reported_first(tmp_path: Path) -> None:
    notices = collect_notices(tmp_path, Path("/data/threads.db.corrupt"))
    assert "`/data/threads.db.corrupt`" in notices[0]


def untrusted_with(folder: Path, *, tests: bool) -> str:
    return "\n".join(collect_trust_notices(check_trust(folder, folder / "home"), tests=tests))


def test_notice_in_untrusted_folder_names_ignored_files(tmp_path: Path) -> None:
    assert untrusted_with(tmp_path, tests=False) == ""
    assert "its tests are not run; trust it with `mcode trust`" in untrusted_with(
        tmp_path, tests=True
    )
    (tmp_path / "AGENTS.md").write_text("")
    message = untrusted_with(tmp_path, tests=True)
    assert "ignored: `AGENTS.md` (instructions), and its tests are not run" in message
    trust(tmp_path, tmp_path / "home")
    assert untrusted_with(tmp_path, tests=True) == ""
    (tmp_path / "AGENTS.md").write_text("changed")
    assert "since you trusted this folder: `AGENTS.md` changed" in untrusted_with(
        tmp_path, tests=True
    )
    (tmp_path / "CLAUDE.md").symlink_to("/etc/passwd")
    here = adapt_to_conversation(untrusted_with(tmp_path, tests=False))
    assert "; use `/trust` to trust it. Project files" in here and "mcode trust" not in here
    assert adapt_to_conversation("put back: `mcode trust`") == "put back: `mcode trust`"
    assert "it cannot be trusted because of `CLAUDE.md`" in untrusted_with(tmp_path, tests=True)


@pytest.mark.parametrize(
    ("name", "data", "notice"),
    [
        ("AGENTS.md", "é: run the tests".encode("latin-1"), "`AGENTS.md`: it is not UTF-8 text"),
        ("CLAUDE.md", "测试".encode("gbk"), "`CLAUDE.md`: it is not UTF-8 text"),
        ("GEMINI.md", "tests".encode("utf-16"), "`GEMINI.md`: it is not UTF-8 text"),
        ("AGENTS.md", "Тесты".encode("koi8-r"), "`AGENTS.md`: it is not UTF-8 text"),
        ("AGENTS.md", b"word \n" * 9_000, "`AGENTS.md` by 22"),
        ("AGENTS.md", b"@.env", "`.env`: no tool may read it"),
        ("AGENTS.md", b"run the tests", ""),
    ],
)
def test_unread_instruction_file_is_named(
    tmp_path: Path, name: str, data: bytes, notice: str
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / ".env").write_text("")
    trust(tmp_path, tmp_path / "home")
    state = check_trust(tmp_path, tmp_path / "home")
    instructions = load_instructions(tmp_path, tmp_path / "home", state, [".env"])
    notices = describe_incomplete_instructions(instructions)
    assert notice in "".join(notices) and bool(notices) == bool(notice)


def test_of_many_files_some_are_named(tmp_path: Path) -> None:
    (tmp_path / ".llc/skills").mkdir(parents=True)
    for number in range(15):
        (tmp_path / f".llc/skills/{number:02}").write_text("")
    message = untrusted_with(tmp_path, tests=False)
    assert "09` (skills); and 5 others" in message and "`.llc/skills/10`" not in message


@pytest.mark.parametrize(
    "environ",
    [
        {"ALL_PROXY": "socks4://p:1"},
        {"https_proxy": "http://p:port"},
        {"NO_PROXY": "10.0.0.0/99"},
        {"SSL_CERT_FILE": "/nonexistent"},
        {"REQUESTS_CA_BUNDLE": "/nonexistent"},
        {"ALL_PROXY": "direct://", "NO_PROXY": "a/b", "NODE_EXTRA_CA_CERTS": "/nonexistent"},
    ],
)
def test_unread_network_variables_are_one_notice(environ: dict[str, str]) -> None:
    (notice,) = collect_network_notices(environ)
    assert notice.startswith("network settings that cannot be read are ignored: ")
    assert all(f"`{name}` (" in notice for name in environ)


def test_readable_network_variables_need_no_notice() -> None:
    assert (
        collect_network_notices({"HTTPS_PROXY": "p:1", "NO_PROXY": "::1, a.b", "ALL_PROXY": ""})
        == []
    )


def test_misnamed_settings_are_reported(tmp_path: Path) -> None:
    (tmp_path / ".llc.yml").touch()
    environ = {"MAXAGENT_HOME": str(tmp_path / "home"), "MCODE_MODE": "read-only"}
    files, variables = collect_ignored_notices(tmp_path, environ)
    assert f"not read: `{tmp_path}/.llc.yml` (it must be `{tmp_path}/.llc.yaml`)" in files
    assert variables.endswith("`MCODE_MODE` (did you mean `MAXAGENT_MODE`?)")
