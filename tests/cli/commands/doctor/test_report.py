import stat
from pathlib import Path

import pytest

from maxagent.cli.commands.doctor.checks import DoctorCheck, DoctorEnvironment
from maxagent.cli.commands.doctor.report import build_report, write_report
from maxagent.config.crash_report import record_crash
from maxagent.config.debug_log import close_debug_log, open_debug_log
from maxagent.config.errors import UsageError
from maxagent.config.settings.loader import load_settings
from maxagent.memory.threads.index import ThreadIndex

KEY = "Zq8-the-key-that-nobody-may-see"
CHECKS = [DoctorCheck("git", "ok", "git version 2.47"), DoctorCheck("ripgrep", "warn", "none")]
SECTIONS = [
    "## Checks",
    "## Versions",
    "## Platform",
    "## Settings",
    "## Threads",
    "## Last internal error",
    "## Last debug log",
]


def around(home: Path, **environ: str) -> DoctorEnvironment:
    loaded = load_settings(home, home, environ=environ)
    return DoctorEnvironment(environ, home, loaded, None)


def section(report: str, title: str) -> str:
    return report.partition(f"## {title}\n\n")[2].partition("\n\n## ")[0]


def test_report_of_a_new_home_has_every_section(tmp_path: Path) -> None:
    report = build_report(CHECKS, around(tmp_path, TERM="xterm", MAXAGENT_MODEL="glm/x"))
    assert [line for line in report.splitlines() if line.startswith("## ")] == SECTIONS
    assert section(report, "Checks") == "ok    git: git version 2.47\nwarn  ripgrep: none"
    assert "langgraph 1." in section(report, "Versions")
    assert "TERM=xterm" in report and "variables that are set: MAXAGENT_MODEL" in report
    assert [section(report, title) for title in ("Threads", "Last debug log")] == ["none", "none\n"]
    assert not (tmp_path / "data").exists()


def test_report_has_no_secret_and_no_home_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("HOME", str(tmp_path))
    text = "Kz-of-the-settings-7"
    (tmp_path / "config.yaml").write_text(
        f"litellm:\n  api_key: {text}\n  base_url: https://me:passw0rd1@llm.example/v1\n"
    )
    record_crash(ValueError(KEY), tmp_path)
    report = build_report([DoctorCheck("git", "ok", f"{tmp_path} {KEY}")], around(tmp_path))
    assert [word for word in (KEY, text, "passw0rd1", str(tmp_path)) if word in report] == []
    assert "ok    git: ~ [secret: OPENAI_API_KEY]" in report
    assert "ValueError" in section(report, "Last internal error")


def test_threads_are_counted_and_not_named(tmp_path: Path) -> None:
    index = ThreadIndex(tmp_path)
    for number in range(2):
        index.record_thread(
            thread_id=f"{number}" * 32,
            title="a private title",
            folder=str(tmp_path),
            graph="task",
            request="a private request",
            options={},
        )
    threads = section(build_report([], around(tmp_path)), "Threads")
    assert threads.startswith("task running: 2\ndatabase: ")
    assert "private" not in threads


def test_damaged_database_is_reported_and_not_touched(tmp_path: Path) -> None:
    database = tmp_path / "data" / "threads.db"
    database.parent.mkdir(mode=0o700)
    database.write_bytes(b"not a database" * 1000)
    assert "cannot be read: file is not a database" in build_report([], around(tmp_path))
    assert [file.name for file in database.parent.iterdir()] == ["threads.db"]


def test_last_debug_log_is_another_processs(tmp_path: Path) -> None:
    logs = tmp_path / "data" / "logs"
    open_debug_log(tmp_path)
    (logs / "20200101T000000Z-1.log").write_text("older")
    (logs / "20200102T000000Z-1.log").write_text("lease acquired")
    try:
        report = build_report([], around(tmp_path))
    finally:
        close_debug_log()
    assert section(report, "Last debug log") == "20200102T000000Z-1.log\nlease acquired\n"


def test_settings_that_do_not_load_are_reported(tmp_path: Path) -> None:
    environment = DoctorEnvironment({}, tmp_path, None, UsageError("unknown key `modle`"))
    assert "do not load: unknown key `modle`" in build_report([], environment)


def test_report_file_is_private(tmp_path: Path) -> None:
    file = write_report(tmp_path, CHECKS, around(tmp_path / "home"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.name.startswith("mcode-report-") and "## Checks" in file.read_text()
