"""What is written back is told as a diff."""

from pathlib import Path

import pytest

from maxagent.tools.filesystem.commit import (
    MAX_DIFF_LENGTH,
    PreparedChange,
    commit_changes,
    prepare_change,
    prepare_removal,
    revert_change,
    stage_change,
)
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.filesystem.text_codec import decode_text
from maxagent.tools.result import ToolError
from maxagent.tools.textedits.text_edits import TextEdit
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


def run_in(folder: Path, backups: Path | None = None) -> ToolRun:
    return ToolRun(Workspace(folder), "c", folder / "outputs", backups=backups)


def test_change_keeps_the_file_format_and_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    saved = commit_changes(run_in(tmp_path), path, decode_text(path.read_bytes()), "one\n2\n3")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n3"
    assert (saved.path, saved.counts, saved.hash) == ("a", "+2 -1", hash_content(path.read_bytes()))
    assert saved.diff.startswith("--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n one\n-two\n\\ No newline")


def test_a_new_file_is_told_as_new(tmp_path: Path) -> None:
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
    for one in prepared:
        with stage_change(run, one):
            pass
        assert tree(tmp_path) == before


def test_committed_change_can_be_reverted_to_the_byte(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    prepared, before = prepared_three(run), tree(tmp_path)
    modes = {name: (tmp_path / name).stat().st_mode for name in before}
    for one in prepared:
        with stage_change(run, one) as staged:
            staged.commit()
    assert tree(tmp_path) == {
        "a": b"two\r\n",
        "new": None,
        "new/folder": None,
        "new/folder/c": b"new\n",
    }
    for one in reversed(prepared):
        revert_change(run.workspace, one)
    assert tree(tmp_path) == before
    assert modes == {name: (tmp_path / name).stat().st_mode for name in before}


def test_a_removal_is_told_as_one(tmp_path: Path) -> None:
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
