import os
from dataclasses import replace
from pathlib import Path

import pytest
from confinement import needs_bubblewrap

from maxagent.config import paths
from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.execution import capture_inside
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.sandbox.thread_temporary import (
    describe_left_files,
    list_left_files,
    prepare_temporary,
)
from maxagent.tools.workspace import Workspace


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    (tmp_path / "project").mkdir()
    return open_sandbox(SandboxSection(), Workspace(tmp_path / "project"), tmp_path / "home")


async def run(sandbox: Sandbox, script: str) -> str:
    root = sandbox.workspace.root
    return (await capture_inside(sandbox, ["sh", "-c", script], cwd=root, timeout=60)).text


@needs_bubblewrap
async def test_commands_of_a_thread_share_it(sandbox: Sandbox) -> None:
    first, second = sandbox.for_thread("one"), sandbox.for_thread("two")
    assert await run(first, 'echo kept > /tmp/backup; echo "$TMPDIR"') == "/tmp\n"
    assert await run(first, "cat /tmp/backup") == "kept\n"
    assert await run(first.as_read_only(), "cat /tmp/backup; mktemp -d") != ""
    assert await run(second, "cat /tmp/backup") == ""
    assert await run(sandbox, "cat /tmp/backup") == ""
    folder = paths.locate_temporary(sandbox.home, "one")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list_left_files(folder) == {"backup"}


@needs_bubblewrap
async def test_link_in_place_of_a_mount_point_is_replaced(tmp_path: Path) -> None:
    sandbox = open_sandbox(SandboxSection(), Workspace(tmp_path), tmp_path / "home")
    folder = paths.locate_temporary(sandbox.home, "one")
    prepare_temporary(folder, ())
    (folder / "deep").symlink_to("/etc")
    prepare_temporary(folder, [Path("/tmp/deep"), Path("/tmp/other")])
    assert not (folder / "deep").is_symlink() and (folder / "other").is_dir()
    assert await run(replace(sandbox, temporary=folder), "pwd") == f"{tmp_path.resolve()}\n"


def test_only_files_left_on_purpose_are_listed(tmp_path: Path) -> None:
    for name in ("pytest-of-me/x", "node-compile-cache/x", "tmpa1b2c3d4/x", "empty", "data/deep"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("backup.tgz", "data/deep/file", "pytest-of-me/x/y", "tmp.a1b2c3", "s.sock"):
        (tmp_path / name).write_text("")
    assert list_left_files(tmp_path) == {"backup.tgz", "data"}
    assert list_left_files(tmp_path / "missing") == set()
    assert describe_left_files({"b", "a"}) == "`/tmp/a`, `/tmp/b`"
    assert describe_left_files(os.listdir(tmp_path)).endswith("+5")
