import errno
import os
from pathlib import Path

import pytest
from full_disk import no_file_beyond

from maxagent.cli.repl.prompt import history
from maxagent.cli.repl.prompt.history import FolderHistory


async def lines(home: Path, folder: Path) -> list[str]:
    return [line async for line in FolderHistory(home, folder).load()]


async def test_lines_of_the_folder_come_first(tmp_path: Path) -> None:
    here, there, home = tmp_path / "here", tmp_path / "there", tmp_path / "home"
    for folder in (here, there):
        kept = FolderHistory(home, folder)
        for line in ("first", "second\nline", "second\nline", f"in {folder.name}"):
            kept.append_string(line)
    assert await lines(home, here) == ["in here", "second\nline", "first", "in there"]
    assert await lines(home, there) == ["in there", "second\nline", "first", "in here"]
    FolderHistory(home, tmp_path / "third").append_string("new")
    assert await lines(home, tmp_path / "fourth") == [
        "new",
        "in there",
        "second\nline",
        "first",
        "in here",
    ]
    link = tmp_path / "link"
    here.mkdir()
    link.symlink_to(here)
    assert await lines(home, link) == await lines(home, here)


async def test_the_file_is_private_and_has_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "Zx81-secret-value")
    FolderHistory(tmp_path, tmp_path).append_string("curl -H Zx81-secret-value")
    file = tmp_path / "data" / "history.jsonl"
    assert file.stat().st_mode & 0o777 == 0o600
    assert await lines(tmp_path, tmp_path) == ["curl -H [secret: SOME_TOKEN]"]


async def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    FolderHistory(tmp_path, tmp_path).append_string("whole")
    with open(tmp_path / "data" / "history.jsonl", "ab") as file:
        file.write(b'[]\n3\n\xff\n{"folder": "' + os.fsencode(tmp_path))
    assert await lines(tmp_path, tmp_path) == ["whole"]


async def test_line_cut_by_full_disk_spoils_no_other(tmp_path: Path) -> None:
    kept = FolderHistory(tmp_path, tmp_path)
    kept.append_string("whole")
    with no_file_beyond((tmp_path / "data" / "history.jsonl").stat().st_size + 20):
        kept.append_string("cut off")
    kept.append_string("whole again")
    assert await lines(tmp_path, tmp_path) == ["whole again", "whole"]


async def test_unreadable_history_file_is_not_shortened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> bytes:
        raise OSError(errno.EIO, "the disk failed")

    kept = FolderHistory(tmp_path, tmp_path)
    kept.append_string("first")
    with monkeypatch.context() as failing:
        failing.setattr(history, "MAX_BYTES", 1)
        failing.setattr(Path, "read_bytes", fail)
        kept.append_string("second")
    assert await lines(tmp_path, tmp_path) == ["second", "first"]


async def test_oversized_history_file_drops_its_older_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MAX_BYTES", 2_000)
    kept = FolderHistory(tmp_path, tmp_path)
    for number in range(100):
        kept.append_string(f"line {number}")
    assert (tmp_path / "data" / "history.jsonl").stat().st_size <= 2_000
    loaded = await lines(tmp_path, tmp_path)
    assert loaded == [f"line {number}" for number in range(99, 99 - len(loaded), -1)]


async def test_line_that_cannot_be_stored_is_still_sent(tmp_path: Path) -> None:
    folder_history = FolderHistory(tmp_path, tmp_path)
    (tmp_path / "data" / "history.jsonl").mkdir()
    assert [line async for line in folder_history.load()] == []
    folder_history.append_string("said all the same")
    assert [line async for line in folder_history.load()] == ["said all the same"]


async def test_pasted_text_is_recalled_folded_and_stored_whole(tmp_path: Path) -> None:
    kept, mark = FolderHistory(tmp_path, tmp_path), "see [Pasted text #1 +5 lines]"
    for _ in range(2):
        kept.append_folded(mark, "see a\nb\nc\nd\ne")
    kept.append_folded("plain", "plain")
    assert kept.get_strings() == [mark, "plain"]
    assert await lines(tmp_path, tmp_path) == ["plain", "see a\nb\nc\nd\ne"]
