import struct
import subprocess
from pathlib import Path

import pytest

from maxagent.memory.snapshots.git_index import LINK, REGULAR, parse_index


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/a").write_text("x")
    (tmp_path / "link").symlink_to("deep/a")
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_entries_of_every_version_are_parsed(version: str, repository: Path) -> None:
    command = ["git", "update-index", "--index-version", version]
    subprocess.run(command, cwd=repository, check=True)
    index = parse_index((repository / ".git/index").read_bytes(), most=2)
    assert not index.is_split
    entries = [(entry.type, entry.name) for entry in index.entries]
    assert entries == [(REGULAR, b"deep/a"), (LINK, b"link")]


@pytest.mark.parametrize("most, size", [(1, None), (2, 8), (2, 80)])
def test_large_or_torn_index_is_an_error(most: int, size: int | None, repository: Path) -> None:
    data = (repository / ".git/index").read_bytes()[:size]
    with pytest.raises((ValueError, IndexError, struct.error)):
        parse_index(data, most)
