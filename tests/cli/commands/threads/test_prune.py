import pytest
from thread_history import THREAD, Kept


def test_what_was_freed_is_reported(kept: Kept) -> None:
    said = kept.mcode("threads", "prune")
    assert (said.returncode, said.stdout) == (0, "")
    assert said.stderr.startswith("Freed ")


def test_threads_are_deleted_only_when_somebody_says_yes(kept: Kept) -> None:
    said = kept.mcode("threads", "prune", "--older", "0")
    assert (said.returncode, "aaaaaaaa" in said.stdout) == (4, True)
    assert "add `--yes`" in said.stderr
    assert kept.index.find(THREAD)
    said = kept.mcode("threads", "prune", "--older", "0", "--yes")
    assert said.returncode == 0 and said.stderr.startswith("Deleted 1 thread\n")
    assert kept.index.list() == []


def test_threads_in_use_stay(kept: Kept) -> None:
    assert kept.mcode("threads", "prune", "--older", "1").returncode == 0
    assert kept.index.find(THREAD)


@pytest.mark.parametrize("days", ["-1", "nan", "inf", "1e12"])
def test_days_are_a_number_that_there_can_be(kept: Kept, days: str) -> None:
    assert kept.mcode("threads", "prune", "--older", days).returncode == 2
