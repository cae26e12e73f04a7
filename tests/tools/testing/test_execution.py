import os
import sys
from pathlib import Path

import pytest
from confinement import needs_bubblewrap

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.sandbox import project_scan
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.testing.command import TestCommand
from maxagent.tools.testing.execution import run_tests
from maxagent.tools.testing.run import TestRun, evaluate_run
from maxagent.tools.workspace import Workspace

PYTEST = (sys.executable, "-m", "pytest", "--disable-plugin-autoload")
"""Its plugins of ours are none of the project's, and take it three quarters of its time."""


async def run_in(folder: Path, test: str, timeout: float = 60) -> TestRun:
    (folder / "test_it.py").write_text(test)
    command = TestCommand(PYTEST, "python -m pytest", "pytest")
    return await run_tests(command, folder, timeout, lambda text: None)


def counts(run: TestRun) -> tuple[int | None, ...]:
    return (run.passed, run.failed, run.errors, run.skipped)


MIXED = """
import pytest
def test_good(): pass
def test_bad(): assert 0
def test_left_out(): pytest.skip()
@pytest.mark.xfail
def test_known(): assert 0
@pytest.fixture
def broken(): raise ValueError
def test_broken(broken): pass
@pytest.fixture
def late(): yield; raise ValueError
def test_late(late): assert 0
"""


async def test_pytest_is_counted(tmp_path: Path) -> None:
    run = await run_in(tmp_path, MIXED)
    assert counts(run) == (1, 2, 2, 2)
    assert evaluate_run(run).verdict == "failed"
    assert evaluate_run(run).reason == "2 failed, 2 errors, 1 passed, 2 skipped"
    assert "test_bad" in run.tail


async def test_green_run_passes_and_leaves_project_clean(tmp_path: Path) -> None:
    run = await run_in(tmp_path, "def test_good(): pass")
    assert (run.exit_code, counts(run), evaluate_run(run).verdict) == (0, (1, 0, 0, 0), "passed")
    assert [path.name for path in tmp_path.iterdir()] == ["test_it.py"]


@needs_bubblewrap
async def test_sandboxed_tests_are_counted_and_cannot_escape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, outside = tmp_path / "project", Path("/etc/maxagent-was-here")
    project.mkdir()
    sandbox = open_sandbox(SandboxSection(), Workspace(project), tmp_path / "home")
    (project / "test_it.py").write_text(
        f"def test_in(tmp_path): open('made', 'w'); (tmp_path / 'x').touch()\n"
        f"def test_out(): open({str(outside)!r}, 'w')\n"
    )
    command = TestCommand(PYTEST, "pytest", "pytest")
    run = await run_tests(command, project, 60, lambda text: None, sandbox)
    assert (counts(run), outside.exists()) == ((1, 1, 0, 0), False)
    assert sorted(os.listdir(project)) == ["made", "test_it.py"]

    monkeypatch.setattr(project_scan, "MAX_ENTRIES", 0)
    refused = await run_tests(command, project, 60, lambda text: None, sandbox)
    assert evaluate_run(refused).verdict == "unverified"
    assert "cannot protect this project" in evaluate_run(refused).reason


async def test_the_output_is_streamed_while_it_runs(tmp_path: Path) -> None:
    names: list[str] = []
    command = TestCommand(("sh", "-c", "echo one; echo two >&2"), "make", "configured")
    run = await run_tests(command, tmp_path, 60, names.append)
    assert ("".join(names), run.tail) == ("one\ntwo\n", "one\ntwo\n")
    assert (evaluate_run(run).verdict, evaluate_run(run).reason) == ("passed", "exit code 0")


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("x = 1", "no tests were found"),
        ("import pytest\ndef test_x(): pytest.skip()", "no test ran: 1 skipped"),
        ("import os\nos._exit(0)", "pytest ended without a readable report"),
    ],
)
async def test_without_a_test_that_ran_it_is_unverified(
    test: str, reason: str, tmp_path: Path
) -> None:
    judged = evaluate_run(await run_in(tmp_path, test))
    assert (judged.verdict, judged.reason) == ("unverified", reason)


async def test_what_cannot_be_collected_is_red(tmp_path: Path) -> None:
    judged = evaluate_run(await run_in(tmp_path, "import no_such_module"))
    assert (judged.verdict, judged.reason) == ("failed", "1 errors")


async def test_slow_tests_are_stopped_and_fail(tmp_path: Path) -> None:
    run = await run_in(tmp_path, "import time\ndef test_slow(): time.sleep(60)", timeout=2)
    judged = evaluate_run(run)
    reason = "the tests were stopped after 2 seconds: `task.test_timeout` sets the limit"
    assert (judged.verdict, judged.reason) == ("failed", reason)


async def test_projects_with_strict_options_or_cache_run(tmp_path: Path) -> None:
    settings = "[pytest]\naddopts = --strict-config --ff\ncache_dir = .cache\n"
    (tmp_path / "pytest.ini").write_text(settings)
    run = await run_in(tmp_path, "def test_good(): pass")
    assert evaluate_run(run).verdict == "passed"


async def test_a_command_that_cannot_run_is_unverified(tmp_path: Path) -> None:
    command = TestCommand((), "pytest", "pytest", problem="pytest is not installed for `x`")
    run = await run_tests(command, tmp_path, 60, lambda text: None)
    assert (run.exit_code, evaluate_run(run).verdict) == (None, "unverified")
    assert evaluate_run(run).reason == "pytest is not installed for `x`"


MOCHA = """
import json, sys
print("printed by a test")
file = sys.argv[-1].removeprefix("output=")
test = {"fullTitle": "cart adds", "err": {"message": "5 == 4, sk-proj-%s"}, "file": "cart.js"}
stats = {"passes": 0, "failures": 1, "pending": 0}
json.dump({"stats": stats, "failures": [test], "passes": [], "pending": []}, open(file, "w"))
""" % ("a1B2" * 12)


async def test_failures_of_mocha_are_shown_without_secrets(tmp_path: Path) -> None:
    names: list[str] = []
    command = TestCommand((sys.executable, "-c", MOCHA), "mocha", "mocha")
    run = await run_tests(command, tmp_path, 60, names.append)
    for text in ("".join(names), run.tail):
        assert "printed by a test" in text and "5 == 4" in text and "a1B2a1B2" not in text
