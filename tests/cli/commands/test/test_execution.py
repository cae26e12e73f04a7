import json
import os
import signal
import subprocess
import sys

import pytest
from cart_projects import PROJECTS, write_player
from test_place import TestPlace

GREEN = "def test_one():\n    print('it runs')\n"
RED = "def test_two():\n    assert False\n"
QUIET = "[pytest]\naddopts = --disable-plugin-autoload\n"


@pytest.fixture
def pytest_place(place: TestPlace) -> TestPlace:
    place.write({"test_one.py": GREEN, "pytest.ini": QUIET})
    return place


@pytest.mark.parametrize("arguments", [(), ("run",), ("--run",), ("--framework", "pytest")])
def test_green_tests_print_one_line_of_counts(
    pytest_place: TestPlace, arguments: tuple[str, ...]
) -> None:
    ended = pytest_place.run("test", *arguments, "--trust")
    assert (ended.returncode, ended.stdout) == (0, "python3 -m pytest: passed: 1 passed\n")
    assert "running python3 -m pytest" in ended.stderr and "1 passed in" in ended.stderr


def test_red_tests_are_exit_code_one(pytest_place: TestPlace) -> None:
    pytest_place.write({"test_two.py": RED})
    ended = pytest_place.run("test", "--trust", "--output", "json")
    run = json.loads(ended.stdout)
    assert ended.returncode == 1
    assert {name: run[name] for name in ("framework", "command", "verdict")} == {
        "framework": "pytest",
        "command": "python3 -m pytest",
        "verdict": "failed",
    }
    assert [run[name] for name in ("passed", "failed", "errors", "skipped")] == [1, 1, 0, 0]
    assert run["failing"] == ["test_two.py::test_two"]


def test_several_frameworks_are_a_list(pytest_place: TestPlace) -> None:
    pytest_place.write({"package.json": '{"scripts": {"test": "jest"}}'})
    pytest_place.add_program("node")
    ended = pytest_place.run("test", "--trust", "--output", "json")
    assert ended.returncode == 2  # not installed
    first, second = json.loads(ended.stdout)
    assert (first["verdict"], second["verdict"]) == ("passed", "unverified")
    assert (second["framework"], second["passed"]) == ("jest", None)
    assert second["reason"] == "`jest` is not installed; run `npm install`"


def test_arguments_after_dashes_go_to_the_framework(pytest_place: TestPlace) -> None:
    pytest_place.write({"test_two.py": RED})
    ended = pytest_place.run("test", "--trust", "--", "-k", "one")
    assert (ended.returncode, ended.stdout) == (0, "python3 -m pytest: passed: 1 passed\n")


def test_untrusted_folder_runs_no_tests(pytest_place: TestPlace) -> None:
    pytest_place.write({".llc.yaml": "task: {test_command: touch ran}\n"})
    ended = pytest_place.run("test", "--output", "json")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "hint: run `mcode trust`, or repeat with `--trust`" in ended.stderr
    assert not (pytest_place.project / "ran").exists()


@pytest.mark.parametrize(
    ("files", "arguments", "words"),
    [
        ({"README.md": "# Cart\n"}, (), "no tests were found"),
        ({"cart.py": "def total():\n    return 1\n"}, ("run",), "no tests were found"),
        ({"package.json": '{"scripts": {"start": "node ."}}'}, (), "no tests were found"),
        ({"go.mod": "module cart\n", "main.go": "package main\n"}, (), "no tests were found"),
        ({"Makefile": "build:\n\ttrue\n"}, ("--watch",), "no tests were found"),
        ({"cart.py": "x = 1\n"}, ("generate", "cart.py"), "no tests were found"),
        ({"test_one.py": GREEN}, ("--framework", "jest"), "the project has no tests of `jest`"),
        ({"test_one.py": GREEN}, (), "the folder is not trusted"),
        ({".llc.yaml": "task: {test_command: touch ran}\n"}, (), "the folder is not trusted"),
    ],
)
def test_folder_without_tests_says_so_before_trust(
    place: TestPlace, files: dict[str, str], arguments: tuple[str, ...], words: str
) -> None:
    place.write(files)
    ended = place.run("test", *arguments)
    assert ended.returncode == 2 and f"error: {words}" in ended.stderr
    assert "trust" not in ended.stderr.replace(words, "") or "trusted" in words
    assert not (place.project / "ran").exists()


def test_configured_command_is_judged_by_exit_code(pytest_place: TestPlace) -> None:
    pytest_place.configure(test_command="echo 2 passed in 0.1s; exit 0")
    ended = pytest_place.run("test", "--trust", "--output", "json")
    run = json.loads(ended.stdout)
    assert (ended.returncode, run["framework"], run["passed"]) == (0, "configured", 2)


def test_tests_are_stopped_at_the_time_limit(place: TestPlace) -> None:
    place.configure(test_command="sleep 60", test_timeout=0.5)
    ended = place.run("test", "--trust")
    assert ended.returncode == 1
    assert "the tests were stopped after 0.5 seconds: `task.test_timeout`" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--framework", "go"), "the project has no tests of `go`"),
        (("--framework", "rspec"), "`rspec` is not a test framework"),
        (("-C", "nowhere"), "is not a folder"),
    ],
)
def test_what_is_not_there_is_exit_code_two(
    pytest_place: TestPlace, arguments: tuple[str, ...], message: str
) -> None:
    ended = pytest_place.run("test", *arguments, "--trust")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr


def test_project_without_tests_is_exit_code_two(place: TestPlace) -> None:
    ended = place.run("test", "--trust")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "error: no tests were found" in ended.stderr


def test_coverage_without_its_program_is_exit_code_two(place: TestPlace) -> None:
    PROJECTS["mocha"].write(place.project)
    write_player("mocha", place.project / "node_modules" / ".bin" / "mocha")
    place.add_program("node")
    ended = place.run("test", "--trust", "--coverage")
    assert ended.returncode == 2
    assert "error: `c8` is not installed; run `npm install --save-dev c8`" in ended.stderr


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("end", "code"),
    [(signal.SIGINT, 130), (signal.SIGHUP, -signal.SIGHUP)],
    ids=["ctrl_c", "closed"],
)
def test_watch_runs_again_on_a_change(
    pytest_place: TestPlace, end: signal.Signals, code: int
) -> None:
    pytest_place.write({".gitignore": "ignored\n"})
    pytest_place.run("test", "--trust")
    # as a script's `&` starts it: SIGINT is ignored
    program = subprocess.Popen(
        ["/bin/sh", "-c", 'trap "" INT; exec "$0" -m maxagent test --watch', sys.executable],
        cwd=pytest_place.project,
        env=pytest_place.environ | {"HOME": os.environ.get("HOME", "")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout and program.stderr
        assert program.stdout.readline() == "python3 -m pytest: passed: 1 passed\n"
        assert any("waiting for changes" in line for line in program.stderr)
        pytest_place.write({"ignored": "x", "test_two.py": RED})
        assert program.stdout.readline() == "python3 -m pytest: failed: 1 failed, 1 passed\n"
        assert any("waiting for changes" in line for line in program.stderr)
    finally:
        program.send_signal(end)
        program.communicate(timeout=60)
    assert program.returncode == code
