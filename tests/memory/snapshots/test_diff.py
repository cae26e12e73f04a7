"""Beside git's own diff of the same files."""

import re
from pathlib import Path

import pytest

from maxagent.memory.snapshots.diff import render_diff
from maxagent.memory.snapshots.file_version import FILE, PROGRAM, FileVersion, PathChange
from maxagent.memory.snapshots.store import Snapshots

LONG = b"".join(b"%d\n" % n for n in range(40))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\nb\n", b"a\nc\n"),
        (b"a\nb", b"a\nb\n"),
        (b"a\nb\n", b"a\nb"),
        (b"a", b"b"),
        (b"", b"a\n"),
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\rb\x0cc\n", b"a\rb\x0cd\n"),
        (LONG, LONG.replace(b"7\n", b"seven\n")),
        (b"a\0", b"b\0"),
        (None, b"a\nb"),
        (b"a\n", None),
        (None, b""),
    ],
)
async def test_it_reads_as_gits(
    old: bytes | None, new: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    place = (tmp_path / "project", tmp_path / "data", [])
    with_git = Snapshots(*place)
    monkeypatch.setenv("PATH", "/nowhere")
    plain, trees = Snapshots(*place), list[str]()
    for content in (old, new):
        (tmp_path / "project" / "x y").unlink(missing_ok=True)
        if content is not None:
            (tmp_path / "project" / "x y").write_bytes(content)
        trees.append(await plain.take(named_files=["x y"]))
    ours = await plain.diff(trees[0], trees[1])
    await with_git.write_blob(b"")
    theirs = await with_git.diff(trees[0], trees[1])
    # which also names the blobs, and a line near each change behind the second `@@`
    theirs = re.sub(r"^index .*\n", "", theirs, flags=re.MULTILINE)
    theirs = re.sub(r"^(@@ .* @@).*", r"\1", theirs, flags=re.MULTILINE)
    assert ours == theirs


def test_a_change_of_mode_alone_is_said() -> None:
    change = PathChange("x", FileVersion(FILE, "1" * 40), FileVersion(PROGRAM, "1" * 40))
    assert render_diff([change], {}) == ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")
