"""A file counts by all of its content, however large it is and however it is changed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from maxagent.tools.consent import origin as module
from maxagent.tools.consent.origin import read_file_origin


def rewrite(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        stream.write(b"y")


def rewrite_and_restore_time(file: Path) -> None:
    state = file.stat()
    rewrite(file)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def replace(file: Path) -> None:
    size, other = file.stat().st_size, file.with_name("other")
    other.write_bytes(b"z")
    os.truncate(other, size)
    other.rename(file)


def grow(file: Path) -> None:
    os.truncate(file, file.stat().st_size + 1)


def shrink(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


@pytest.mark.parametrize(
    ("size", "change"),
    [
        *((size, rewrite) for size in (10, 300_000, 1_500_000)),
        *((size, rewrite_and_restore_time) for size in (10, 300_000, 1_500_000)),
        *((size, replace) for size in (10, 1_500_000, 300_000_000)),
        *((size, grow) for size in (10, 1_500_000, 300_000_000)),
        *((size, shrink) for size in (10, 1_500_000, 300_000_000)),
    ],
)
def test_changed_file_has_another_digest(
    tmp_path: Path, size: int, change: Callable[[Path], None]
) -> None:
    file = tmp_path / "program"
    file.write_bytes(b"x")
    os.truncate(file, size)  # its blocks are not on the disk
    first = read_file_origin("script", file, tmp_path)
    assert first and first == read_file_origin("script", file, tmp_path)
    change(file)
    second = read_file_origin("script", file, tmp_path)
    assert second and first.provenance.digest != second.provenance.digest


def test_remembered_digest_is_that_of_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SETTLED", 0)
    for number in range(70):
        (tmp_path / f"{number}").write_bytes(b"%d" % (number % 2) * 1_000_100)
    read = [read_file_origin("script", tmp_path / f"{n}", tmp_path) for n in (*range(70), 0, 69)]
    digests = [result.provenance.digest for result in read if result]
    assert digests == [digests[n % 2] for n in (*range(70), 0, 69)]
    assert digests[0] != digests[1]
