from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots.file_version import ABSENT, FILE, LINK, PROGRAM, UNKNOWN, FileVersion
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.undo.three_way_merge import MergeConflictError, merge_versions

A, B, C = (FileVersion(FILE, letter * 40) for letter in "abc")
A_LINK = FileVersion(LINK, "d" * 40)


@pytest.fixture
def snapshots(tmp_path: Path) -> Snapshots:
    (tmp_path / "project").mkdir()
    return Snapshots(tmp_path / "project", tmp_path / "data" / "snapshots", [])


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        (A, A, B, B),
        (A, B, A, B),
        (A, B, B, B),
        (A, A, ABSENT, ABSENT),
        (ABSENT, ABSENT, A, A),
        (A, ABSENT, ABSENT, ABSENT),
        (A, FileVersion(PROGRAM, A.blob), B, FileVersion(PROGRAM, B.blob)),
        (A, B, FileVersion(PROGRAM, A.blob), FileVersion(PROGRAM, B.blob)),
        (FileVersion(PROGRAM, A.blob), FileVersion(PROGRAM, B.blob), A, B),
        (
            A,
            FileVersion(PROGRAM, B.blob),
            FileVersion(PROGRAM, B.blob),
            FileVersion(PROGRAM, B.blob),
        ),
    ],
)
async def test_one_sided_change_reads_no_contents(
    base: FileVersion,
    ours: FileVersion,
    theirs: FileVersion,
    expected: FileVersion,
    snapshots: Snapshots,
) -> None:
    assert await merge_versions(snapshots, base, ours, theirs) == expected


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "reason"),
    [
        (ABSENT, A, B, "created it again"),
        (A, ABSENT, B, "deleted it since"),
        (A, B, ABSENT, "the agent created it"),
        (A, B, A_LINK, "a link"),
        (A_LINK, B, A, "a link"),
        (A, UNKNOWN, B, "cannot be read"),
    ],
)
async def test_non_text_version_is_not_merged(
    base: FileVersion, ours: FileVersion, theirs: FileVersion, reason: str, snapshots: Snapshots
) -> None:
    with pytest.raises(MergeConflictError, match=reason):
        await merge_versions(snapshots, base, ours, theirs)


async def merged_text(snapshots: Snapshots, base: bytes, ours: bytes, theirs: bytes) -> bytes:
    versions = [
        FileVersion(FILE, await snapshots.write_blob(text)) for text in (base, ours, theirs)
    ]
    blob = (await merge_versions(snapshots, *versions)).blob
    return (await snapshots.read_blobs([blob]))[blob]


LINES = b"1\n2\n3\n4\n5\n6\n7\n8\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        (LINES, b"0\n" + LINES, LINES + b"9", b"0\n" + LINES + b"9"),
        (LINES, LINES.replace(b"2\n", b""), LINES.replace(b"7", b"x"), b"1\n3\n4\n5\n6\nx\n8\n"),
        (
            b"1\r\n2\r\n3\r\n4",
            b"0\r\n2\r\n3\r\n4",
            b"1\r\n2\r\n3\r\n4\r\n",
            b"0\r\n2\r\n3\r\n4\r\n",
        ),
        (b"\xff\n2\n3\n4\n", b"\xff\n2\n3\n\xfe\n", b"1\n2\n3\n4\n", b"1\n2\n3\n\xfe\n"),
        (b"<<<<<<< a\n2\n3\n4\n", b"<<<<<<< a\n2\n3\n", b"2\n3\n4\n", b"2\n3\n"),
    ],
)
async def test_text_is_merged_byte_for_byte(
    base: bytes, ours: bytes, theirs: bytes, expected: bytes, snapshots: Snapshots
) -> None:
    assert await merged_text(snapshots, base, ours, theirs) == expected
    assert list(snapshots.directory.glob("merge-*")) == []


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "reason"),
    [
        (b"1\n", b"2\n", b"3\n", "the same lines"),
        (LINES, LINES.replace(b"\n", b"\r\n"), LINES.replace(b"7", b"x"), "the same lines"),
        (LINES, b"0\n" + LINES, LINES + b"\0", "not text"),
        (b"x" * 20_000_001, b"1\n", b"2\n", "too large"),
    ],
)
async def test_what_would_be_a_guess_is_not_merged(
    base: bytes, ours: bytes, theirs: bytes, reason: str, snapshots: Snapshots
) -> None:
    with pytest.raises(MergeConflictError, match=reason):
        await merged_text(snapshots, base, ours, theirs)


async def test_a_git_that_fails_is_reported(
    snapshots: Snapshots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = [
        FileVersion(FILE, await snapshots.write_blob(text)) for text in (b"1\n", b"2\n", b"3\n")
    ]
    broken = tmp_path / "git"
    broken.write_text("#!/bin/sh\necho no space left >&2\nexit 255\n")
    broken.chmod(0o755)
    monkeypatch.setattr("maxagent.memory.undo.three_way_merge.find_git", lambda folder: str(broken))
    with pytest.raises(MaxAgentError, match="git merge-file failed: no space left"):
        await merge_versions(snapshots, *versions)
