from pathlib import Path

from thread_history import THREAD, Kept

from maxagent.memory.threads.index import ThreadIndex


def test_the_step_must_be_named(kept: Kept) -> None:
    said = kept.mcode("threads", "fork")
    assert (said.returncode, "--at" in said.stderr) == (2, True)


def test_fork_of_unstarted_thread_fails(kept: Kept) -> None:
    said = kept.mcode("threads", "fork", "--at", "0", "--say", "x")
    assert (said.returncode, "has not started yet" in said.stderr) == (2, True)


def test_move_follows_a_renamed_folder(kept: Kept, tmp_path: Path) -> None:
    renamed = tmp_path / "renamed"
    renamed.mkdir()
    said = kept.mcode("threads", "move", THREAD[:8], str(renamed))
    assert (said.returncode, said.stdout) == (0, "")
    assert f"now continues in {renamed}" in said.stderr
    assert ThreadIndex(kept.home).get(THREAD).folder == str(renamed)


def test_missing_folder_error_names_move(kept: Kept, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    kept.mcode("threads", "move", THREAD, str(gone))
    gone.rmdir()
    said = kept.mcode("undo", THREAD, "--yes")
    assert said.returncode == 2 and "`mcode threads move ID FOLDER`" in said.stderr
