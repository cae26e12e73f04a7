import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from thread_history import THREAD, Kept

from maxagent.memory.threads.index import ThreadIndex


def test_exported_thread_can_be_imported(kept: Kept, tmp_path: Path) -> None:
    kept.index.rename(THREAD, "login")
    old = os.umask(0)
    try:
        result = kept.mcode("threads", "export", "login")
    finally:
        os.umask(old)
    path = kept.folder / f"thread-{THREAD[:8]}.zip"
    assert (result.returncode, result.stdout) == (0, f"{path.name}\n")
    assert "without the project's files" in result.stderr
    assert path.stat().st_mode & 0o777 == 0o600

    again = kept.mcode("threads", "export", THREAD)
    assert (again.returncode, again.stdout) == (2, "")
    assert f"`{path.name}` already exists" in again.stderr

    other = tmp_path / "other"
    other.mkdir()
    imported = kept.mcode("threads", "import", path.name, "--folder", str(other))
    assert imported.returncode == 0
    row = ThreadIndex(kept.home).get(imported.stdout.strip())
    assert (row.folder, row.name, row.status) == (str(other), "", "interrupted")
    assert row.thread_id != THREAD
    assert f"Imported as {row.thread_id[:8]} in {other}" in imported.stderr
    assert f"`mcode resume {row.thread_id[:8]}` continues" in imported.stderr


def test_a_trajectory_is_json_with_its_steps(kept: Kept) -> None:
    exported = kept.mcode("threads", "export", THREAD, "--format", "atif")
    path = kept.folder / f"thread-{THREAD[:8]}.json"
    assert (exported.returncode, exported.stdout) == (0, f"{path.name}\n")
    trajectory = json.loads(path.read_text())
    assert (trajectory["schema_version"], trajectory["session_id"]) == ("ATIF-v1.8", THREAD)
    assert trajectory["steps"][0]["message"] == "Write"


@pytest.mark.parametrize("content", [None, b"", b"no thread at all"])
def test_what_is_no_thread_is_wrong_usage(kept: Kept, content: bytes | None) -> None:
    if content is not None:
        (kept.folder / "x.zip").write_bytes(content)
    result = kept.mcode("threads", "import", "x.zip")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ") and "\nhint: " in result.stderr
    assert [
        row["thread_id"] for row in json.loads(kept.mcode("threads", "list", "--json").stdout)
    ] == [THREAD]


def test_export_to_unwritable_path_is_usage_error(kept: Kept) -> None:
    result = kept.mcode("threads", "export", THREAD, "none/x.zip")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: cannot write `none/x.zip`: No such file")


def test_export_writes_to_stdout_but_no_terminal(kept: Kept) -> None:
    def exported(stdout: int) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [sys.executable, "-m", "maxagent", "threads", "export", THREAD, "-"],
            env={"PATH": os.environ["PATH"], "MAXAGENT_HOME": str(kept.home)},
            stdout=stdout,
            stderr=subprocess.PIPE,
        )

    piped = exported(subprocess.PIPE)
    assert (piped.returncode, piped.stdout[:2]) == (0, b"PK")
    screen, terminal = os.openpty()
    refused = exported(terminal)
    os.close(terminal)
    os.close(screen)
    assert (refused.returncode, b"cannot be written to a terminal" in refused.stderr) == (
        2,
        True,
    )


def test_to_export_loads_no_langgraph(kept: Kept) -> None:
    code = (
        "import sys; from maxagent.cli.commands.threads.app import app\n"
        f"sys.argv[1:] = ['export', {THREAD!r}]\ntry: app()\nfinally: print(*sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=kept.folder,
        env={"PATH": os.environ["PATH"], "MAXAGENT_HOME": str(kept.home)},
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {"langgraph", "langchain_core", "langsmith", "openai", "mcp", "httpx2", "rich"}
    assert heavy & set(result.stdout.split()) == set()
