import asyncio
import os
from pathlib import Path

import pytest
from confinement import needs_bubblewrap

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.process.launcher import capture_output
from maxagent.tools.result import ToolError
from maxagent.tools.sandbox import project_scan
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.sandbox import Sandbox, find_links, restore_links
from maxagent.tools.workspace import Workspace


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    (tmp_path / "project").mkdir()
    return open_sandbox(SandboxSection(), Workspace(tmp_path / "project"), tmp_path / "home")


def test_its_state_in_words(tmp_path: Path) -> None:
    none = Sandbox(Workspace(tmp_path), tmp_path, why_none="it rains")
    assert (none.is_on, none.state) == (False, "none: it rains")
    on = Sandbox(Workspace(tmp_path), tmp_path, "bubblewrap", network=True)
    assert (on.is_on, on.state) == (True, "bubblewrap, with network")


async def test_command_without_backend_is_unchanged(tmp_path: Path) -> None:
    none = Sandbox(Workspace(tmp_path), tmp_path / "home")
    async with none.wrap(["make", "test"], tmp_path) as command:
        assert (command.argv, command.guard) == (["make", "test"], None)
        assert os.listdir(tmp_path) == []


@needs_bubblewrap
async def test_nothing_stands_in_the_project_meanwhile(sandbox: Sandbox) -> None:
    root = sandbox.workspace.root
    async with sandbox.wrap(["ls"], root) as command:
        assert os.listdir(root) == []
        assert command.argv[-2:] == ["--", "ls"] and command.guard
    async with sandbox.as_read_only().wrap(["ls"], root) as command:
        assert command.guard is None


@needs_bubblewrap
async def test_it_goes_when_the_command_is_cancelled_too(sandbox: Sandbox) -> None:
    root, inside = sandbox.workspace.root, asyncio.Event()

    async def wait() -> None:
        async with sandbox.wrap(["ls"], root):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.ensure_future(wait())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert os.listdir(root) == []


@needs_bubblewrap
async def test_cancellation_during_setup_leaves_nothing(sandbox: Sandbox) -> None:
    root = sandbox.workspace.root

    async def enter() -> None:
        async with sandbox.wrap(["ls"], root):
            raise AssertionError("it was cancelled before")

    task = asyncio.ensure_future(enter())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert os.listdir(root) == []


@needs_bubblewrap
async def test_own_folder_in_temporary_folder_is_writable(sandbox: Sandbox, tmp_path: Path) -> None:
    root, report = sandbox.workspace.root, tmp_path.resolve() / "report"
    report.mkdir()
    script = f"echo 1 > {report}/x; echo 1 > {tmp_path}/y; ls"
    async with sandbox.wrap(["sh", "-c", script], root, extra_writable=[report]) as line:
        await capture_output(line.argv, cwd=root, timeout=30, guard=line.guard)
    assert (report / "x").exists() and not (tmp_path / "y").exists()


@needs_bubblewrap
async def test_a_project_that_cannot_be_guarded_is_refused(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = sandbox.workspace.root
    (root / "one").write_text("")
    monkeypatch.setattr(project_scan, "MAX_ENTRIES", 0)
    with pytest.raises(ToolError, match="cannot protect"):
        async with sandbox.wrap(["ls"], root):
            pass
    assert os.listdir(root) == ["one"]


def test_only_links_at_protected_names_are_found(tmp_path: Path) -> None:
    for name in ("CLAUDE.md", ".github", "latest", ".ENVRC"):
        (tmp_path / name).symlink_to("there")
    (tmp_path / "AGENTS.md").write_text("be good")
    assert {path.name for path in find_links(tmp_path)} == {"CLAUDE.md", ".github", ".ENVRC"}


def test_replaced_link_is_restored(tmp_path: Path) -> None:
    link = tmp_path / "CLAUDE.md"
    link.symlink_to("AGENTS.md")
    with restore_links([link, tmp_path / "missing"]):
        link.unlink()
        link.write_text("evil")
    assert os.readlink(link) == "AGENTS.md"
    assert (tmp_path / "CLAUDE.md.replaced-1").read_text() == "evil"


def test_removed_or_redirected_link_is_restored(tmp_path: Path) -> None:
    below, other = tmp_path / "a" / "link", tmp_path / "other"
    below.parent.mkdir()
    for link in (below, other):
        link.symlink_to("there")
    with restore_links([below, other]):
        below.unlink()
        below.parent.rmdir()
        other.unlink()
        other.symlink_to("elsewhere")
    assert (os.readlink(below), os.readlink(other)) == ("there", "there")


def test_one_that_was_left_alone_is_left_alone(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to("there")
    file.write_text("1")
    before = link.lstat().st_ino
    with restore_links([link, file]):
        file.write_text("2")
    assert link.lstat().st_ino == before
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]
