import random
import subprocess
from pathlib import Path

import pytest
from command_lines import project
from shell_lines import any_line
from third_opinion import WALL, disagreements, ran_by_bash, wall_around

pytestmark = pytest.mark.skipif(not WALL, reason="bubblewrap is missing: no line goes to a shell")


def test_bash_looks_for_the_commands_and_words_that_the_judge_says(tmp_path: Path) -> None:
    source = random.Random(5)
    workspace, empty = project(tmp_path), tmp_path / "empty"
    empty.mkdir()
    assert disagreements([any_line(source) for _ in range(800)], workspace, empty) == []


def test_bash_tells_what_it_looks_for_when_all_succeeds_and_when_all_fails(tmp_path: Path) -> None:
    lines = ["a 'b c' && d", "x | y; echo z", "a || b", "ls )"]
    assert ran_by_bash(lines, tmp_path) == [
        [{("a", "b c"): 1, ("d",): 1}, {("a", "b c"): 1}],
        [{("x",): 1, ("y",): 1, ("echo", "z"): 1}] * 2,
        [{("a",): 1}, {("a",): 1, ("b",): 1}],
        [None, None],
    ]


def test_a_line_that_could_name_a_program_s_file_is_never_given_to_bash(tmp_path: Path) -> None:
    workspace, empty = project(tmp_path), tmp_path / "empty"
    empty.mkdir()
    assert disagreements(["/bin/touch x", "a; ./b", "$SHELL"], workspace, empty) == []
    for line in ("/bin/touch x", "$SHELL", "`a`"):
        with pytest.raises(ValueError, match="could run"):
            ran_by_bash([line], empty)


def test_behind_the_wall_nothing_can_be_changed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.touch()
    folder.mkdir()
    words = ["bash", "-c", f"echo x > {outside}; rm -f {outside}; mount -o remount,rw /; echo y"]
    done = subprocess.run([*wall_around(folder), *words], capture_output=True, text=True)
    assert (done.stdout, outside.read_text()) == ("y\n", "")
