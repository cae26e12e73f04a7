"""Git processes: which variables they get, and which git does not answer."""

from pathlib import Path

import pytest

from maxagent.config.git.environment import read_git_failure
from maxagent.memory.snapshots.git_repository import find_git
from maxagent.sdk.startup_notices import collect_notices
from maxagent.tools.git.user_git import GitError, find_git_program

XCODE = "xcode-select: note: No developer tools were found, requesting install."
LIBRARY = "git: error while loading shared libraries: libpcre2-8.so.0: cannot open"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (f"echo {XCODE!r} >&2; exit 1", XCODE),
        (f"echo {LIBRARY!r} >&2; exit 127", LIBRARY),
        ("echo agree to the licence first; exit 69", "agree to the licence first"),
        ("exit 3", "exit code 3"),
        ("exit 0", "exit code 0"),
        ("echo hub version 2.14", "hub version 2.14"),
        ("kill -9 $$", "exit code -9"),
    ],
)
def test_git_that_fails_is_no_git(
    script: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, program = tmp_path / "project", tmp_path / "bin/git"
    for folder in (project, program.parent):
        folder.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert read_git_failure(str(program), "/bin") == reason
    assert find_git(project) is None
    (notice,) = collect_notices(project, None)
    assert notice.startswith("git does not work") and reason in notice
    with pytest.raises(GitError, match="git does not work") as error:
        find_git_program(project)
    assert "reinstall git" in error.value.hint


def test_file_of_another_machine_is_no_git(tmp_path: Path) -> None:
    program = tmp_path / "git"
    program.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(60))
    program.chmod(0o755)
    assert "Exec format error" in read_git_failure(str(program), "/bin")
