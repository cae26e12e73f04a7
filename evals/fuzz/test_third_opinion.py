import random
import subprocess
from pathlib import Path

from command_lines import project
from confinement import needs_bubblewrap
from shell_lines import any_line
from third_opinion import BASH, disagreements, ran_by_bash, wall_around

pytestmark = needs_bubblewrap  # without it no line goes to a shell


def test_bash_runs_the_commands_the_analyzer_finds(tmp_path: Path) -> None:
    source = random.Random(5)
    workspace, empty = project(tmp_path), tmp_path / "empty"
    empty.mkdir()
    assert disagreements([any_line(source) for _ in range(800)], workspace, empty) == []


def test_bash_reports_commands_for_success_and_failure(tmp_path: Path) -> None:
    lines = ["a 'b c' && d", "x | y; echo z", "a || b", "ls )"]
    assert ran_by_bash(lines, tmp_path) == [
        [{("a", "b c"): 1, ("d",): 1}, {("a", "b c"): 1}],
        [{("x",): 1, ("y",): 1, ("echo", "z"): 1}] * 2,
        [{("a",): 1}, {("a",): 1, ("b",): 1}],
        [None, None],
    ]


def test_parallel_pipeline_reports_are_kept_apart(tmp_path: Path) -> None:
    line = "a 'x\ny\nz' | b 'p\nq\nr' | c '1\n2\n3'"
    said = {("a", "x\ny\nz"): 1, ("b", "p\nq\nr"): 1, ("c", "1\n2\n3"): 1}
    assert ran_by_bash([line] * 50, tmp_path) == [[said, said]] * 50


def test_line_cannot_overwrite_script_lines_or_reports(tmp_path: Path) -> None:
    lines = ["a > told", "b > lines; c >> script", "d | e > told"]
    assert ran_by_bash(lines, tmp_path)[0] == [{("a",): 1}] * 2
    assert ran_by_bash(lines, tmp_path)[1:] == [
        [{("b",): 1, ("c",): 1}] * 2,
        [{("d",): 1, ("e",): 1}] * 2,
    ]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["lines", "script", "told"]


def test_isolated_bash_can_run_and_change_nothing(tmp_path: Path) -> None:
    script = "echo /*; echo /usr/*; /bin/rm x; : > /y; : > /bin/z; echo kept > here"
    done = subprocess.run(
        [*wall_around(tmp_path), BASH, "-c", script], capture_output=True, text=True
    )
    seen = done.stdout.split()
    assert set(seen) <= {"/bin", "/dev", "/lib", "/lib64", f"/{tmp_path.parts[1]}", "/usr/*"}
    assert "/bin/rm: No such file or directory" in done.stderr
    assert done.stderr.count("Read-only file system") == 2
    assert (tmp_path / "here").read_text() == "kept\n"
