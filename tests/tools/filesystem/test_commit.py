"""What is written back is told as a diff."""

import os
import stat
from pathlib import Path

import pytest

from maxagent.cli.execution.tool_session import ToolSession
from maxagent.config.settings.loader import LoadedSettings
from maxagent.config.settings.schema import SecuritySection, Settings, ToolsSection
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.filesystem.commit import (
    MAX_DIFF_LENGTH,
    PreparedChange,
    commit_changes,
    discard_backup,
    prepare_change,
    prepare_removal,
    revert_change,
    stage_change,
    store_backup,
)
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.filesystem.text_codec import decode_text
from maxagent.tools.result import CallResult, ToolError
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.textedits.text_edits import TextEdit
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


async def change(run: ToolRun, old: str = "one", new: str = "two") -> CallResult:
    return await invoke(edit, {"file_path": "src/a", "old_string": old, "new_string": new}, run)


async def test_overwritten_content_is_kept_and_its_place_reported(run: ToolRun) -> None:
    retained = Path((await change(run)).metadata["backup"])
    assert run.backups and retained == run.backups / "0001/src/a"
    assert (retained.read_bytes(), stat.S_IMODE(retained.stat().st_mode)) == (b"one\r\n", 0o700)
    assert stat.S_IMODE(run.backups.stat().st_mode) == 0o700


async def test_every_overwriting_has_its_own_number(run: ToolRun) -> None:
    await change(run)
    again = await invoke(write_file, {"path": "src/a", "content": "two\n"}, run)
    assert "nothing was changed" in again.output and "backup" not in again.metadata
    seen = {"src/a": hash_content(b"two\r\n")}
    tool_run = ToolRun(run.workspace, "d", run.outputs, seen=seen, backups=run.backups)
    second = await invoke(write_file, {"path": "src/a", "content": "three\n"}, tool_run)
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
    first, second = (store_backup(tmp_path, "a/b", b"x", 0o644) for _ in range(2))
    discard_backup(tmp_path, first)
    assert not first.parent.exists() and second.read_bytes() == b"x"


@pytest.mark.parametrize("expected", [True, False])
async def test_tools_called_by_hand_keep_backups_where_configured(
    run: ToolRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: bool
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    settings = Settings(tools=ToolsSection(backup=expected), security=SecuritySection(mode="auto"))
    session = ToolSession(run.workspace.root, LoadedSettings(settings, {}), run.outputs)
    await session.call_tool("read_file", {"path": "src/a"}, lambda *_: False)
    args = {"file_path": "src/a", "old_string": "one", "new_string": "two"}
    reply = await session.call_tool("edit", args, lambda *_: False)
    retained = tmp_path / "home/data/backups/by-hand/0001/src/a"
    assert reply.metadata.get("backup") == (str(retained) if expected else None)
    assert (tmp_path / "home").exists() == expected


def run_in(folder: Path, backups: Path | None = None) -> ToolRun:
    return ToolRun(Workspace(folder), "c", folder / "outputs", backups=backups)


def test_change_keeps_the_file_format_and_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    saved = commit_changes(run_in(tmp_path), path, decode_text(path.read_bytes()), "one\n2\n3")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n3"
    assert (saved.path, saved.counts, saved.hash) == ("a", "+2 -1", hash_content(path.read_bytes()))
    assert saved.diff.startswith("--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n one\n-two\n\\ No newline")


def test_a_new_file_is_reported_as_new(tmp_path: Path) -> None:
    saved = commit_changes(run_in(tmp_path), tmp_path / "a", None, "x\r\n")
    assert (tmp_path / "a").read_bytes() == b"x\r\n"
    assert saved.diff.startswith("--- /dev/null\n+++ b/a\n")


def test_what_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot hold"):
        commit_changes(run_in(tmp_path), tmp_path / "a", None, "\ud800")
    assert not (tmp_path / "a").exists()


def test_very_long_diff_is_cut_at_a_line(tmp_path: Path) -> None:
    saved = commit_changes(run_in(tmp_path), tmp_path / "a", None, "汉字\n" * 100_000)
    assert len(saved.diff) < MAX_DIFF_LENGTH + 100
    assert saved.diff.count("汉字") == 100_000 - 75_011
    assert saved.diff.endswith("+汉字\n[… 75,011 more lines]\n")
    assert saved.counts == "+100000 -0"


def test_a_diff_is_text_whatever_the_file_holds(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("汉字汉字\n".encode() + b"\xff\n")
    old = decode_text((tmp_path / "a").read_bytes())
    assert (
        "\n \\xff\n" in commit_changes(run_in(tmp_path), tmp_path / "a", old, "字\n\udcff\n").diff
    )


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def prepared_three(run: ToolRun) -> list[PreparedChange]:
    """A change, a new file in a new folder, and a removal."""
    root = run.workspace.root
    (root / "a").write_bytes(b"one\r\n")
    (root / "a").chmod(0o755)
    (root / "b").write_bytes(b"gone\0")
    (root / "b").chmod(0o640)
    return [
        prepare_change(run.workspace, root / "a", decode_text(b"one\r\n"), "two\n"),
        prepare_change(run.workspace, root / "new/folder/c", None, "new\n"),
        prepare_removal(run.workspace, root / "b", b"gone\0"),
    ]


def test_what_is_prepared_or_staged_changes_nothing(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    prepared, before = prepared_three(run), tree(tmp_path)
    for item in prepared:
        with stage_change(run, item):
            pass
        assert tree(tmp_path) == before


def test_committed_change_can_be_reverted_to_the_byte(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    prepared, before = prepared_three(run), tree(tmp_path)
    modes = {name: (tmp_path / name).stat().st_mode for name in before}
    for item in prepared:
        with stage_change(run, item) as staged:
            staged.commit()
    assert tree(tmp_path) == {
        "a": b"two\r\n",
        "new": None,
        "new/folder": None,
        "new/folder/c": b"new\n",
    }
    for item in reversed(prepared):
        revert_change(run.workspace, item)
    assert tree(tmp_path) == before
    assert modes == {name: (tmp_path / name).stat().st_mode for name in before}


def test_a_removal_is_reported_as_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo")
    removal = prepare_removal(Workspace(tmp_path), tmp_path / "a", b"one\ntwo")
    assert removal.diff == (
        "--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n\\ No newline at end of file\n"
    )
    (tmp_path / "b").write_bytes(b"\0")
    binary = prepare_removal(Workspace(tmp_path), tmp_path / "b", b"\0")
    assert binary.diff == "Binary files a/b and /dev/null differ\n"


@pytest.mark.parametrize("meanwhile", [b"theirs", None])
def test_file_changed_after_reading_is_not_overwritten(
    tmp_path: Path, meanwhile: bytes | None
) -> None:
    run, path = run_in(tmp_path), tmp_path / "a"
    path.write_bytes(b"one")
    prepared = prepare_change(run.workspace, path, decode_text(b"one"), "two")
    refused = pytest.raises(ToolError, match="`a` was changed by another program")
    with refused, stage_change(run, prepared) as staged:
        path.write_bytes(meanwhile) if meanwhile else path.unlink()
        staged.commit()
    assert tree(tmp_path) == ({"a": meanwhile} if meanwhile else {})


def test_pieces_keep_what_a_comparison_could_not_know(tmp_path: Path) -> None:
    data = b"x\nx\r\nx\n"
    (tmp_path / "a").write_bytes(data)
    saved = commit_changes(
        run_in(tmp_path), tmp_path / "a", decode_text(data), "x\nx\n", [TextEdit(0, 2, "")]
    )
    assert (tmp_path / "a").read_bytes() == b"x\r\nx\n"
    assert saved.metadata == {
        "path": "a",
        "paths": ["a"],
        "diff": saved.diff,
        "added": 0,
        "removed": 1,
    }
