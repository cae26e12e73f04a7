"""Tests that were red before the job, and flaky ones, do not count; all others do."""

import json
from pathlib import Path

import pytest

from maxagent import Runner, trust
from maxagent.nodes.testing.proof import is_about_red_tests, is_test_named
from maxagent.nodes.verify import format_red_tests

OLD_RED = "def test_old():\n    assert False\n"
FINE = """from cart import total


def test_total():
    assert total([1, 2]) == 3


def test_nothing():
    assert total([]) == 0
"""
CART = "def total(prices):\n    return sum(prices)\n"
FLAKY = """from pathlib import Path


def test_flaky():
    ran, note = (Path(__file__).with_name(name) for name in ("ran", "NOTES.md"))
    is_fine = ran.exists() or not note.exists()
    ran.touch()
    assert is_fine
"""


class World:
    """A project with a green test and one that was red before."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self._script = folder / "scenario.json"
        self.project.mkdir()
        self.write("cart.py", CART)
        self.write("test_cart.py", FINE)
        self.write("test_old.py", OLD_RED)
        self.write("pytest.ini", "[pytest]\naddopts = --disable-plugin-autoload\n")
        self.configure(repair_rounds=0)

    def write(self, name: str, text: str) -> None:
        (self.project / name).write_text(text)

    def configure(self, **task: object) -> None:
        self.write(".llc.yaml", json.dumps({"task": task}))

    async def run(self, *written: tuple[str, str], request: str = "add a readme"):
        """Run a task whose coder writes these files."""
        trust(self.project, self.home)
        calls = [
            call
            for path, content in written
            for call in (
                {"name": "read_file", "args": {"path": path}},
                {"name": "write_file", "args": {"path": path, "content": content}},
            )
        ]
        turns = {
            "architect": [{"text": "SMALL"}],
            "coder": [*({"tool_calls": [call]} for call in calls), *[{"text": "done"}] * 2],
            "tester": [{"text": "Accepted."}],
        }
        self._script.write_text(json.dumps(turns))
        options = {"model": f"scripted/{self._script}", "apply": True, "mode": "auto"}
        async with Runner(home=self.home) as runner:
            return [
                item async for item in runner.task(request, folder=self.project, options=options)
            ]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def purposes(events) -> list[str]:
    return [event.purpose for event in events if event.type == "verifying"]


NOTE = ("NOTES.md", "a note")
EXCUSE = "; not from this change: `test_old.py::test_old`"
COUNTED = "echo '1 failed, 2 passed in 0.1s'"


async def test_test_that_was_red_before_does_not_count(world: World) -> None:
    events = await world.run(NOTE)
    evidence = events[-1].evidence
    assert (events[-1].outcome, evidence["already_red"]) == ("verified", ["test_old.py::test_old"])
    assert evidence["reason"] == f"2 passed, 1 failed (as before){EXCUSE}"
    assert (evidence["failed"], purposes(events)) == (1, ["", "before"])
    assert not [*(world.home / "data" / "worktrees").glob("*/*/*")]


async def test_test_that_the_change_breaks_is_red(world: World) -> None:
    events = await world.run(("cart.py", "def total(prices):\n    return 0\n"))
    evidence = events[-1].evidence
    assert (events[-1].outcome, evidence["already_red"]) == ("failed", ["test_old.py::test_old"])
    assert sorted(evidence["failing"]) == ["test_cart.py::test_total", "test_old.py::test_old"]
    assert evidence["reason"] == f"2 failed, 1 passed{EXCUSE}"
    assert purposes(events) == ["", "before", "again"]


REPAIR = ("cart.py", f"{CART}\nRATE = 1\nLIMIT = 0\n")


@pytest.mark.parametrize(
    ("request_text", "outcome", "already"),
    [
        ("set the rate", "verified", ["test_old.py::test_LIMIT"]),
        ("test_RATE fails, repair it", "verified", ["test_old.py::test_LIMIT"]),
        ("the test test_RATE is red", "verified", ["test_old.py::test_LIMIT"]),
        ("test_LIMIT fails, repair it", "failed", []),
        ("repair test_old.py", "failed", []),
        ("the tests fail, repair them", "failed", []),
        ("修复失败的测试", "failed", []),
    ],
)
async def test_red_test_beside_repaired_ones_counts_where_named(
    world: World, request_text: str, outcome: str, already: list[str]
) -> None:
    world.write("cart.py", f"{CART}\nRATE = LIMIT = 0\n")
    tests = "".join(
        f"def test_{name}():\n    assert cart.{name} == 1\n" for name in ("RATE", "LIMIT")
    )
    world.write("test_old.py", f"import cart\n\n{tests}")
    events = await world.run(REPAIR, request=request_text)
    evidence = events[-1].evidence
    assert (events[-1].outcome, evidence.get("already_red", [])) == (outcome, already)
    assert evidence["failing"] == ["test_old.py::test_LIMIT"]


@pytest.mark.slow
async def test_baseline_runs_once_for_all_repair_rounds(world: World) -> None:
    world.configure(repair_rounds=1)
    events = await world.run(("cart.py", "def total(prices):\n    return 0\n"))
    assert events[-1].outcome == "failed"
    assert purposes(events) == ["", "before", "again", "", "again"]


@pytest.mark.parametrize(
    "request_text", ["repair test_old", "the tests fail, repair them", "修复失败的测试"]
)
async def test_request_about_red_tests_counts_them(world: World, request_text: str) -> None:
    events = await world.run(NOTE, request=request_text)
    assert (events[-1].outcome, "already_red" in events[-1].evidence) == ("failed", False)


async def test_job_without_a_change_excuses_nothing(world: World) -> None:
    events = await world.run()
    assert (events[-1].outcome, purposes(events)) == ("failed", ["", "again"])


async def test_project_whose_tests_are_all_red_stays_red(world: World) -> None:
    (world.project / "test_cart.py").unlink()
    events = await world.run(NOTE)
    assert (events[-1].outcome, purposes(events)) == ("failed", ["", "before"])
    evidence = events[-1].evidence
    assert evidence["already_red"] == evidence["failing"] == ["test_old.py::test_old"]
    assert "as they were before your change" in format_red_tests(evidence)


async def test_flaky_test_is_named_and_does_not_count(world: World) -> None:
    (world.project / "test_old.py").unlink()
    world.write("test_flaky.py", FLAKY)
    events = await world.run(NOTE)
    evidence = events[-1].evidence
    assert (events[-1].outcome, evidence["flaky"]) == ("verified", ["test_flaky.py::test_flaky"])
    assert (evidence["passed"], evidence["failed"], "failing" in evidence) == (3, 0, False)
    assert evidence["reason"].endswith("when run again: `test_flaky.py::test_flaky`")


@pytest.mark.parametrize(
    ("command", "outcome", "reason"),
    [
        (
            f"{COUNTED}; exit 1",
            "unverified",
            "1 failed, 2 passed, as before",
        ),
        (f"{COUNTED}; test ! -e NOTES.md", "failed", "1 failed, 2 passed"),
        ("exit 3", "failed", "exit code 3"),
    ],
    ids=["as many before", "none before", "nothing is counted"],
)
async def test_counts_without_names_excuse_only_the_same(
    world: World, command: str, outcome: str, reason: str
) -> None:
    world.configure(repair_rounds=0, test_command=command)
    events = await world.run(NOTE)
    assert (events[-1].outcome, events[-1].evidence["reason"][: len(reason)]) == (outcome, reason)


@pytest.mark.parametrize(
    ("request_text", "speaks"),
    [
        ("make the failing tests pass", True),
        ("CI is red", True),
        ("the suite is broken", True),
        ("测试失败了", True),
        ("add a test for zero", False),
        ("a red button", False),
        ("redo the contest", False),
    ],
)
def test_requests_about_red_tests_are_known(request_text: str, speaks: bool) -> None:
    assert is_about_red_tests(request_text) == speaks


@pytest.mark.parametrize(
    ("request_text", "name", "names"),
    [
        ("repair test_old", "test_old.py::test_old", True),
        ("look at tests/test_cart.py", "tests/test_cart.py::test_total", True),
        ("why does takes percent off", "cart.test.js > cart takes percent off", False),
        ("see cart.test.js", "web/cart.test.js > cart takes percent off", True),
        ("repair test_total", "test_cart.py::TestCart::test_total[1-2]", True),
        ("repair test_cart", "tests/test_cart.py::test_total", True),
        ("add a cart", "test_cart.py::test_total", False),
        ("TestDiscount", "example.com/cart.TestDiscount", True),
    ],
)
def test_tests_that_a_request_names_are_known(request_text: str, name: str, names: bool) -> None:
    assert is_test_named(request_text, name) == names
