"""What is written back is told as a diff."""

from pathlib import Path

import pytest

from maxagent.tools.files import content_hash
from maxagent.tools.result import ToolRefusal
from maxagent.tools.save import LONGEST_DIFF, save
from maxagent.tools.text import decode
from maxagent.tools.workspace import Workspace


def test_a_change_is_written_as_the_file_was_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    saved = save(Workspace(tmp_path), path, decode(path.read_bytes()), "one\n2\n3")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n3"
    assert (saved.path, saved.counts, saved.hash) == ("a", "+2 -1", content_hash(path.read_bytes()))
    assert saved.diff.startswith("--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n one\n-two\n\\ No newline")


def test_a_new_file_is_told_as_new(tmp_path: Path) -> None:
    saved = save(Workspace(tmp_path), tmp_path / "a", None, "x\r\n")
    assert (tmp_path / "a").read_bytes() == b"x\r\n"
    assert saved.diff.startswith("--- /dev/null\n+++ b/a\n")


def test_what_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ToolRefusal, match="cannot hold"):
        save(Workspace(tmp_path), tmp_path / "a", None, "\ud800")
    assert not (tmp_path / "a").exists()


def test_a_very_long_diff_is_cut_at_a_line(tmp_path: Path) -> None:
    saved = save(Workspace(tmp_path), tmp_path / "a", None, "汉字\n" * 100_000)
    assert len(saved.diff) < LONGEST_DIFF + 100
    assert saved.diff.count("汉字") == 100_000 - 75_011
    assert saved.diff.endswith("+汉字\n[… 75,011 more lines]\n")
    assert saved.counts == "+100000 -0"


def test_a_diff_is_text_whatever_the_file_holds(tmp_path: Path) -> None:
    old = decode("汉\n".encode() + b"\xff\n")
    assert "\n \\xff\n" in save(Workspace(tmp_path), tmp_path / "a", old, "字\n\udcff\n").diff
