import os
import time
from pathlib import Path

import pytest

from maxagent.tools.filesystem.state_cache import (
    SETTLED,
    FileState,
    StateCache,
    find_local_device,
    read_state,
)


def settled(inode: int = 1) -> FileState:
    long_ago = time.time_ns() - SETTLED
    return FileState(1, inode, 0, long_ago, long_ago)


def test_a_value_lasts_as_long_as_the_state() -> None:
    cache = StateCache[str](limit=10)
    cache.add("a", settled(1), "value")
    assert cache.get("a", settled(2)) is None and cache.get("b", settled(1)) is None


@pytest.mark.parametrize("part", ["modified", "changed"])
def test_what_changed_just_now_is_not_kept(part: str) -> None:
    state = settled()._replace(**{part: time.time_ns()})
    cache = StateCache[str](limit=10)
    cache.add("a", state, "value")
    assert cache.get("a", state) is None


def test_a_full_cache_begins_anew() -> None:
    state, cache = settled(), StateCache[str](limit=5)
    for name, weight in (("a", 3), ("b", 2), ("c", 1)):
        cache.add(name, state, name, weight)
    assert [cache.get(name, state) for name in "abc"] == [None, None, "c"]


def test_states_are_of_links_or_their_targets(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    link, target = (read_state(str(tmp_path / "link"), follow=follow) for follow in (False, True))
    assert link and target and target.inode == os.stat(tmp_path).st_ino != link.inode
    assert read_state(str(tmp_path / "none")) is None


def test_no_device_counts_where_states_say_little() -> None:
    assert find_local_device(Path("/proc")) is None
