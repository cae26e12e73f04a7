"""Where configured, nothing is overwritten that is not kept first."""

import os
import stat
from pathlib import Path

import pytest

from maxagent.cli.execution.tool_session import ToolSession
from maxagent.config.settings.loader import LoadedSettings
from maxagent.config.settings.schema import SecuritySection, Settings, ToolsSection
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.filesystem.backup import discard, store_content
from maxagent.tools.filesystem.commit import prepare_removal, stage_change
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.result import ToolError, ToolResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    (tmp_path / "project/src").mkdir(parents=True)
    (tmp_path / "project/src/a").write_bytes(b"one\r\n")
    (tmp_path / "project/src/a").chmod(0o755)
    seen = {"src/a": hash_content(b"one\r\n")}
    workspace, backups = Workspace(tmp_path / "project"), tmp_path / "data/backups/thread"
    return ToolRun(workspace, "c", tmp_path / "outputs", seen=seen, backups=backups)


async def change(run: ToolRun, old: str = "one", new: str = "two") -> ToolResult:
    return await invoke(edit, {"file_path": "src/a", "old_string": old, "new_string": new}, run)


async def test_overwritten_content_is_kept_and_its_place_reported(run: ToolRun) -> None:
    kept = Path((await change(run)).metadata["backup"])
    assert run.backups and kept == run.backups / "0001/src/a"
    assert (kept.read_bytes(), stat.S_IMODE(kept.stat().st_mode)) == (b"one\r\n", 0o700)
    assert stat.S_IMODE(run.backups.stat().st_mode) == 0o700


async def test_every_overwriting_has_its_own_number(run: ToolRun) -> None:
    await change(run)
    again = await invoke(write_file, {"path": "src/a", "content": "two\n"}, run)
    assert "nothing was changed" in again.output and "backup" not in again.metadata
    seen = {"src/a": hash_content(b"two\r\n")}
    known = ToolRun(run.workspace, "d", run.outputs, seen=seen, backups=run.backups)
    second = await invoke(write_file, {"path": "src/a", "content": "three\n"}, known)
    assert second.metadata["backup"].endswith("thread/0002/src/a")
    assert Path(second.metadata["backup"]).read_bytes() == b"two\r\n"


async def test_a_new_file_has_nothing_to_keep(run: ToolRun) -> None:
    result = await invoke(write_file, {"path": "new", "content": "x"}, run)
    assert result.ok and "backup" not in result.metadata
    assert run.backups and not run.backups.exists()


async def test_a_file_that_is_removed_is_kept(run: ToolRun) -> None:
    path = run.workspace.root / "src/a"
    with stage_change(run, prepare_removal(run.workspace, path, b"one\r\n")) as staged:
        saved = staged.commit()
    assert not path.exists() and Path(saved.backup).read_bytes() == b"one\r\n"


async def test_what_cannot_be_kept_is_not_overwritten(run: ToolRun) -> None:
    assert run.backups
    run.backups.parent.mkdir(parents=True)
    run.backups.write_text("in the way")
    result = await change(run)
    assert result.error == (
        "no backup of `src/a` could be kept, so nothing was changed: file exists"
    )
    assert (run.workspace.root / "src/a").read_bytes() == b"one\r\n"
    assert os.listdir(run.workspace.root / "src") == ["a"]


def test_backup_of_a_failed_change_is_discarded(run: ToolRun) -> None:
    path = run.workspace.root / "src/a"
    prepared = prepare_removal(run.workspace, path, b"one\r\n")
    path.write_bytes(b"meanwhile")
    with (
        pytest.raises(ToolError, match="by another program"),
        stage_change(run, prepared) as staged,
    ):
        staged.commit()
    assert path.read_bytes() == b"meanwhile"
    assert run.backups and os.listdir(run.backups) == []


def test_discarding_leaves_other_backups(tmp_path: Path) -> None:
    first, second = (store_content(tmp_path, "a/b", b"x", 0o644) for _ in range(2))
    discard(tmp_path, first)
    assert not first.parent.exists() and second.read_bytes() == b"x"


@pytest.mark.parametrize("wanted", [True, False])
async def test_tools_called_by_hand_keep_backups_where_configured(
    run: ToolRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    settings = Settings(tools=ToolsSection(backup=wanted), security=SecuritySection(mode="auto"))
    session = ToolSession(run.workspace.root, LoadedSettings(settings, {}), run.outputs)
    await session.call_tool("read_file", {"path": "src/a"}, lambda *_: False)
    args = {"file_path": "src/a", "old_string": "one", "new_string": "two"}
    reply = await session.call_tool("edit", args, lambda *_: False)
    kept = tmp_path / "home/data/backups/by-hand/0001/src/a"
    assert reply.metadata.get("backup") == (str(kept) if wanted else None)
    assert (tmp_path / "home").exists() == wanted
