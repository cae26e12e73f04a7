from pathlib import Path

from thread_history import THREAD, Kept

from maxagent.memory.threads.index import ThreadIndex


def test_the_step_must_be_named(kept: Kept) -> None:
    done = kept.mcode("threads", "fork")
    assert (done.returncode, "--at" in done.stderr) == (2, True)


def test_fork_of_unstarted_thread_fails(kept: Kept) -> None:
    done = kept.mcode("threads", "fork", "--at", "0", "--say", "x")
    assert (done.returncode, "has not started yet" in done.stderr) == (2, True)


def test_move_follows_a_renamed_folder(kept: Kept, tmp_path: Path) -> None:
    renamed = tmp_path / "renamed"
    renamed.mkdir()
    done = kept.mcode("threads", "move", THREAD[:8], str(renamed))
    assert (done.returncode, done.stdout) == (0, "")
    assert f"now continues in {renamed}" in done.stderr
    assert ThreadIndex(kept.home).get(THREAD).folder == str(renamed)


def test_missing_folder_error_names_move(kept: Kept, tmp_path: Path) -> None:
    missing = tmp_path / "gone"
    missing.mkdir()
    kept.mcode("threads", "move", THREAD, str(missing))
    missing.rmdir()
    done = kept.mcode("undo", THREAD, "--yes")
    assert done.returncode == 2 and "`mcode threads move ID FOLDER`" in done.stderr
