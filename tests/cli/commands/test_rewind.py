import pytest
from thread_history import Kept


@pytest.mark.parametrize("two", [("--files", "--talk"), ("--both", "--files")])
def test_only_one_choice_can_be_made(kept: Kept, two: tuple[str, str]) -> None:
    said = kept.mcode("rewind", "--to", "1", *two)
    assert (said.returncode, "cannot be used together" in said.stderr) == (2, True)


def test_unstarted_thread_has_no_steps(kept: Kept) -> None:
    said = kept.mcode("rewind", "--to", "0")
    assert said.returncode == 2
    assert said.stderr.splitlines() == [
        "error: thread `aaaaaaaa` has not started yet",
        "hint: start it with `mcode resume aaaaaaaa`",
    ]
    assert kept.mcode("rewind", "--json").stdout == "[]\n"
