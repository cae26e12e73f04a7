import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent import trust
from maxagent.cli.commands.doctor import checks
from maxagent.cli.commands.doctor.checks import DoctorCheck
from maxagent.cli.commands.doctor.command import run_checks

PROGRAM = (
    "import sys, typer; from maxagent.cli.commands.doctor.command import doctor\n"
    "try: typer.run(doctor)\n"
    "finally: print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
)


def run(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """`mcode doctor` as a process of its own in an empty home."""
    saved = {name: os.environ[name] for name in ("PATH", "VIRTUAL_ENV") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env=saved | {"MAXAGENT_HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"} | environ,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_it_ends_with_0_when_nothing_failed(tmp_path: Path) -> None:
    ended = run(tmp_path, OPENAI_API_KEY="sk-very-secret")
    assert ended.returncode == 0
    assert "ok    provider" in ended.stdout
    assert "sk-very-secret" not in ended.stdout + ended.stderr
    assert "doctor." not in ended.stdout  # a key without words
    assert not (tmp_path / "home").exists()


def test_doctor_failed_check_exits_1_with_remedy(tmp_path: Path) -> None:
    ended = run(tmp_path)
    assert ended.returncode == 1
    assert "fail  provider" in ended.stdout
    assert "\n      → run `mcode auth login`" in ended.stdout


def test_a_broken_configuration_is_one_failed_check(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text("modle: 1\nlanguage: fr\n")
    trust(tmp_path, tmp_path / "home")
    ended = run(tmp_path, "--json")
    checks = {each["name"]: each for each in json.loads(ended.stdout)}
    assert (ended.returncode, checks["configuration"]["status"]) == (1, "fail")
    assert ".llc.yaml:1: unknown key `modle`" in checks["configuration"]["detail"]
    assert checks["data_directory"]["status"] == "ok"


def test_json_has_a_row_for_every_check(tmp_path: Path) -> None:
    rows = json.loads(run(tmp_path, "--json", OPENAI_API_KEY="x").stdout)
    assert [row["name"] for row in rows] == [
        "python", "start", "sqlite", "git", "snapshots",
        "worktrees", "ripgrep", "sandbox", "variables", "trust", "instructions",
        "configuration", "hooks", "mcp", "provider", "data_directory",
    ]  # fmt: skip
    assert all(set(row) == {"name", "status", "detail", "remedy"} for row in rows)


@pytest.mark.parametrize("environ", [{"LC_ALL": "zh_CN.UTF-8"}, {"LLC_LANG": "zh"}])
def test_it_speaks_chinese(environ: dict[str, str], tmp_path: Path) -> None:
    stdout = run(tmp_path, OPENAI_API_KEY="x", **environ).stdout
    assert "密钥来自 OPENAI_API_KEY" in stdout and "正常  服务商" in stdout
    labels = [line[:12] for line in stdout.splitlines() if line[:1].strip()]
    assert not re.search("ok|warn|fail|trust|provider|data|sandbox|configuration", "".join(labels))
    assert ("环境变量 LLC_LANG" in stdout) == ("LLC_LANG" in environ)


def test_json_is_the_same_in_every_language(tmp_path: Path) -> None:
    ended = run(tmp_path, "--json", OPENAI_API_KEY="x", LC_ALL="zh_CN.UTF-8")
    assert "key from OPENAI_API_KEY" in ended.stdout
    assert not any("\u4e00" <= char <= "\u9fff" for char in ended.stdout)


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    imported = set(run(tmp_path, OPENAI_API_KEY="x").stderr.split())
    heavy = {"langgraph", "langchain_core", "langchain_openai", "openai", "mcp", "httpx2", "rich"}
    assert (imported & heavy, "pydantic" in imported) == (set(), True)


def test_unparsable_rule_is_a_failed_check(tmp_path: Path) -> None:
    ended = run(tmp_path, "--json", LLC_PERMISSIONS__DENY="[run_comand]")
    checks = {each["name"]: each for each in json.loads(ended.stdout)}
    assert checks["configuration"]["status"] == "fail"
    assert "LLC_PERMISSIONS__DENY: deny rule `run_comand`" in checks["configuration"]["detail"]


def test_report_is_written_and_its_content_named(tmp_path: Path) -> None:
    ended = run(tmp_path, "--report", OPENAI_API_KEY="sk-very-secret", LC_ALL="zh_CN.UTF-8")
    (file,) = tmp_path.glob("mcode-report-*.txt")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert f"已写入 `{file}`" in ended.stderr
    written = file.read_text()
    assert "key from OPENAI_API_KEY" in written and "sk-very-secret" not in written


@pytest.mark.parametrize(
    "error",
    [
        IndexError("list index out of range"),
        OSError(8, "Exec format error"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
        RecursionError("deep"),
        ValueError("sk-ant-api03-verysecretkeyverysecretkey"),
    ],
)
def test_an_unforeseen_error_is_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def check_broken(_: object) -> DoctorCheck:
        raise error

    monkeypatch.setattr(checks, "CHECKS", (check_broken, checks.check_python))
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    _, rows = run_checks(tmp_path)
    assert [(row.name, row.status) for row in rows] == [("broken", "warn"), ("python", "ok")]
    assert type(error).__name__ in rows[0].detail and "verysecret" not in rows[0].detail
