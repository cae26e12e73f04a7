from thread_history import Kept


def test_the_step_must_be_named(kept: Kept) -> None:
    said = kept.mcode("threads", "fork")
    assert (said.returncode, "--at" in said.stderr) == (2, True)


def test_fork_of_unstarted_thread_fails(kept: Kept) -> None:
    said = kept.mcode("threads", "fork", "--at", "0", "--say", "x")
    assert (said.returncode, "has not started yet" in said.stderr) == (2, True)
