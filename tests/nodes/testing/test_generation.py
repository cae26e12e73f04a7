"""What the tester wrote counts only if it is tests, and nothing else changed."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from maxagent import Runner, trust
from maxagent.memory.snapshots.file_version import ABSENT, FILE, FileVersion, PathChange
from maxagent.nodes.options import Options
from maxagent.nodes.testing.generation import (
    compare_counts,
    count_test_cases,
    find_foreign_change,
    find_missing_tests,
)

Kind = Literal["added", "modified", "deleted"]
CASE = "def test_total():\n    pass\n"
SOURCE = "def total(prices):\n    return sum(prices)\n"


def change(path: str, kind: Kind = "added") -> PathChange:
    old, new = FileVersion(FILE, "a" * 40), FileVersion(FILE, "b" * 40)
    old, new = ABSENT if kind == "added" else old, ABSENT if kind == "deleted" else new
    return PathChange(path, old, new)


@pytest.mark.parametrize(
    ("changes", "by_runs", "reason"),
    [
        ([change("test_cart.py"), change("tests/prices.csv")], [], ""),
        ([change("cart.py", "modified")], [], "`cart.py` is not a test file, and was changed"),
        ([change("tax.py")], [], "`tax.py` is not a test file, and was changed"),
        ([change("README.md", "modified")], [], "`README.md` is not a test file, and was changed"),
        ([change("notes.txt", "deleted")], [], "`notes.txt` is not a test file, and was changed"),
        ([change(".coverage")], [change("made.py"), change("log.txt", "modified")], ""),
        ([], [change("cart.py", "modified")], "`cart.py` is not a test file, and was changed"),
        ([change("test_old.py", "deleted")], [], "`test_old.py` was deleted; tests"),
    ],
)
def test_only_test_files_may_have_changed(
    changes: Sequence[PathChange], by_runs: Sequence[PathChange], reason: str
) -> None:
    foreign_change = find_foreign_change(changes, by_runs)
    assert foreign_change.startswith(reason) and bool(foreign_change) == bool(reason)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"test_cart.py": CASE}, ""),
        ({"test_cart.py": "import cart\n", "tests/test_tax.py": CASE}, ""),
        ({"tests/prices.csv": "1\n"}, ""),
        ({"test_cart.py": "import cart\n"}, "there is no test in `test_cart.py`"),
        ({".coverage": ""}, "no test was added or changed"),
        ({}, "no test was added or changed"),
    ],
)
def test_something_must_be_a_test(files: dict[str, str], reason: str, tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    assert find_missing_tests([change(name) for name in files], tmp_path) == reason


@pytest.mark.parametrize(
    ("kind", "before", "after", "reason"),
    [
        ("added", 2, 3, ""),
        ("added", None, 3, ""),
        ("added", 2, None, ""),
        ("modified", 2, 2, ""),  # a test has changed
        ("added", 2, 2, "the new tests did not run, or were skipped: 2 pass, as before"),
        ("modified", 2, 1, "fewer tests pass than before: 1 instead of 2"),
    ],
)
def test_counts_show_that_tests_were_added(
    kind: Kind, before: int | None, after: int | None, reason: str
) -> None:
    assert compare_counts([change("test_cart.py", kind)], before, after) == reason


class World:
    """A project whose tests are always green or red, and a tester that takes turns."""

    def __init__(self, folder: Path, command: str = "true") -> None:
        self.home, self.project = folder / "home", folder / "project"
        self._script = folder / "script.json"
        self.project.mkdir()
        (self.project / "cart.py").write_text(SOURCE)
        settings = {"task": {"test_command": command, "repair_rounds": 1}}
        (self.project / ".llc.yaml").write_text(json.dumps(settings))

    async def run(self, *calls: dict[str, Any]) -> list[Any]:
        """Each call is a turn; then the tester has finished, as often as it is asked."""
        trust(self.project, self.home)
        turns = [{"tool_calls": [call]} for call in calls]
        self._script.write_text(json.dumps([*turns, *[{"text": "Done."}] * 2]))
        options: Options = {"model": f"scripted/{self._script}", "apply": True, "mode": "auto"}
        async with Runner(home=self.home) as runner:
            events = runner.generate_tests("cart.py", folder=self.project, options=options)
            return [event async for event in events]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def write(path: str, content: str = CASE) -> dict[str, Any]:
    return {"name": "write_file", "args": {"path": path, "content": content}}


async def test_written_tests_are_verified(world: World) -> None:
    events = await world.run(write("test_cart.py"))
    assert events[-1].outcome == "verified"
    purposes = [event.purpose for event in events if event.type == "verifying"]
    assert purposes == ["before", ""]


async def test_source_stays_as_it_is(world: World) -> None:
    events = await world.run(write("cart.py", "total = sum\n"))
    (refused,) = [event for event in events if event.type == "tool_result" and not event.ok]
    assert "only test files can be changed" in refused.error
    assert (world.project / "cart.py").read_text() == SOURCE
    assert events[-1].outcome == "failed"
    assert events[-1].evidence["reason"] == "no test was added or changed"


async def test_source_changed_by_a_command_is_found(world: World) -> None:
    sneak = 'python3 -c \'open(chr(99) + "art.py", "a").write(chr(10))\''
    command = {"name": "run_command", "args": {"command": sneak}}
    events = await world.run(write("test_cart.py"), command)
    reasons = [event.reason for event in events if event.type == "evidence"]
    assert reasons == ["`cart.py` is not a test file, and was changed"] * 2
    assert events[-1].outcome == "failed"


async def test_red_reason_says_what_was_written(tmp_path: Path) -> None:
    world = World(tmp_path, command="false")
    events = await world.run()
    assert events[-1].outcome == "failed"
    assert events[-1].evidence["reason"].startswith("no test was added or changed; ")
    rewrite = {"command": 'python3 -c \'open(chr(99) + "art.py", "a").write(chr(10))\''}
    events = await world.run({"name": "run_command", "args": rewrite}, write("test_cart.py"))
    reason = events[-1].evidence["reason"]
    assert reason.startswith("`cart.py` is not a test file, and was changed; ")


@pytest.mark.parametrize(
    ("path", "content", "count"),
    [
        ("test_cart.py", "def test_total():\n    pass\n\n\nasync def test_tax():\n    pass\n", 2),
        ("test_cart.py", "class CartTest(TestCase):\n    def test_total(self):\n        pass\n", 1),
        ("test_cart.py", "def total():\n    return 'def test'\n# def test_total():\n", 0),
        ("cart.test.ts", "test('adds', () => {})\n  it.each([1])('is %d', () => {})\n", 2),
        ("cart.test.js", "// test('adds', () => {})\n * it('is', () => {})\nlatest(1)\n", 0),
        ("cart.test.js", "regex.test('a')\n", 0),
        (
            "cart_test.go",
            "func TestTotal(t *testing.T) {\n}\nfunc FuzzTotal(f *testing.F) {\n",
            2,
        ),
        ("cart_test.go", "func newCart() Cart {\n", 0),
        ("tests/cart.rs", "#[test]\nfn adds() {}\n\n#[tokio::test]\nasync fn waits() {}\n", 2),
        ("tests/cart.rs", "fn adds() {}\n", 0),
        ("tests/prices.csv", "test,1\n", None),
    ],
)
def test_cases_are_counted_by_language(path: str, content: str, count: int | None) -> None:
    assert count_test_cases(path, content) == count
