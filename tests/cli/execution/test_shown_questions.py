import os
import subprocess
import sys
from pathlib import Path

from maxagent.cli.execution.shown_questions import find_shown_question, remember_shown
from maxagent.sdk.events import Question


def question(number: int, thread: str = "thread") -> Question:
    return Question(thread, f"{number:032x}", "approval", [], [])


def test_the_last_question_of_each_thread_is_known(tmp_path: Path) -> None:
    assert find_shown_question(tmp_path, "thread") == ""
    for asked in (question(1), question(2), question(3, "another")):
        remember_shown(tmp_path, asked)
    assert find_shown_question(tmp_path, "thread") == f"{2:032x}"
    assert find_shown_question(tmp_path, "another") == f"{3:032x}"
    assert find_shown_question(tmp_path, "thre") == ""


def test_another_session_has_shown_nothing(tmp_path: Path) -> None:
    remember_shown(tmp_path, question(1))
    look = (
        "import pathlib, sys;"
        "from maxagent.cli.execution.shown_questions import find_shown_question;"
        "print(repr(find_shown_question(pathlib.Path(sys.argv[1]), 'thread')))"
    )
    outputs = [
        subprocess.check_output(
            [sys.executable, "-c", look, str(tmp_path)], text=True, start_new_session=another
        )
        for another in (False, True)
    ]
    assert outputs == [f"'{1:032x}'\n", "''\n"]


def test_the_record_stays_small_and_private(tmp_path: Path) -> None:
    for number in range(2000):
        remember_shown(tmp_path, question(number))
    file = tmp_path / "data" / "shown-questions"
    assert file.stat().st_size < 110_000
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    assert find_shown_question(tmp_path, "thread") == f"{1999:032x}"


def test_unwritable_record_is_no_error(tmp_path: Path) -> None:
    os.mkdir(tmp_path / "data", 0o700)
    (tmp_path / "data" / "shown-questions").mkdir()
    remember_shown(tmp_path, question(1))
    assert find_shown_question(tmp_path, "thread") == ""
