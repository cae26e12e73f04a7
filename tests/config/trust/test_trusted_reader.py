from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.trust.decision import check_trust
from maxagent.config.trust.trusted_reader import read_listed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / ".llc.yaml"
    path.write_text("language: en\n")
    return path


def test_what_was_listed_is_read(file: Path) -> None:
    result = read_listed(file, check_trust(file.parent, file.parent / "home"))
    assert result and result.values == {"language": "en"}


def test_a_file_that_changed_since_is_not_read(file: Path) -> None:
    entries = check_trust(file.parent, file.parent / "home")
    file.write_text("language: zh\n")
    with pytest.raises(UsageError, match="changed while it was read"):
        read_listed(file, entries)


def test_a_file_that_came_since_is_not_read(file: Path) -> None:
    file.rename(file.parent / "aside")
    entries = check_trust(file.parent, file.parent / "home")
    (file.parent / "aside").rename(file)
    with pytest.raises(UsageError, match="changed"):
        read_listed(file, entries)


def test_the_same_bytes_elsewhere_are_another_file(file: Path) -> None:
    entries = check_trust(file.parent, file.parent / "home")
    file.rename(file.parent / "aside")
    file.symlink_to("aside")
    with pytest.raises(UsageError, match="changed"):
        read_listed(file, entries)


def test_where_there_is_none_nothing_is_reported(file: Path) -> None:
    entries = check_trust(file.parent, file.parent / "home")
    file.unlink()
    assert read_listed(file, entries) is None
