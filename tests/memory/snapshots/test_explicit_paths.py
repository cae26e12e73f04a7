from pathlib import Path

import pytest

from maxagent.memory.snapshots.exclusions import Exclusions
from maxagent.memory.snapshots.explicit_paths import ExplicitPaths

NAMES = ["a", "sub/b", "new\nline", "not utf-8 \udcff", "-n", "ü"]


def test_names_are_remembered_by_every_process(tmp_path: Path) -> None:
    first, second = (ExplicitPaths(tmp_path, Exclusions(())) for _ in range(2))
    assert first.add(NAMES[:2]) == set(NAMES[:2])
    assert second.add([]) == set(NAMES[:2])
    assert second.add(NAMES) == set(NAMES)
    assert first.add([]) == set(NAMES)
    assert first.add(["./a", "sub//b", "sub/./b"]) == set(NAMES)
    size = (tmp_path / "named").stat().st_size
    first.add(NAMES)
    assert (tmp_path / "named").stat().st_size == size


def test_excluded_paths_are_neither_added_nor_read(tmp_path: Path) -> None:
    assert ExplicitPaths(tmp_path, Exclusions((".env",))).add([".env", "sub/.env/x", "a"]) == {"a"}
    ExplicitPaths(tmp_path, Exclusions(())).add([".env"])
    assert ExplicitPaths(tmp_path, Exclusions((".env",))).add([]) == {"a"}


@pytest.mark.parametrize("left", [b"", b"\0hal", b"\0whole\0\0hal"])
def test_a_torn_name_joins_no_other(left: bytes, tmp_path: Path) -> None:
    (tmp_path / "named").write_bytes(left)
    names = ExplicitPaths(tmp_path, Exclusions(())).add(["next"])
    assert "next" in names and names <= {"whole", "hal", "next"}


def test_a_store_that_was_begun_anew_is_noticed(tmp_path: Path) -> None:
    named = ExplicitPaths(tmp_path, Exclusions(()))
    named.add(["a-long-name"])
    (tmp_path / "named").unlink()
    assert named.add([]) == set()
    named.add(["a-long-name"])
    (tmp_path / "named").unlink()
    ExplicitPaths(tmp_path, Exclusions(())).add(["b"])
    assert named.add([]) == {"b"}
