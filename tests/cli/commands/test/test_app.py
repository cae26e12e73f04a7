import json

import pytest
from test_place import TestPlace

GO = {"go.mod": "module a\n", "a_test.go": "package a\n"}


def test_commands_are_listed_with_what_shows_them(place: TestPlace) -> None:
    place.write({"test_cart.py": "", "Makefile": "test:\n"})
    ended = place.run("test", "detect")
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert ended.returncode == 0
    assert rows[0] == ["framework", "language", "found", "by", "command"]
    assert rows[1][:3] == ["pytest", "Python", "test_cart.py"]
    assert rows[2] == ["make", "-", "Makefile", "make", "test"]


@pytest.mark.parametrize("arguments", [("detect", "--json"), ("--detect", "--json")])
def test_json_names_each_command_and_its_problem(
    place: TestPlace, arguments: tuple[str, ...]
) -> None:
    place.write({"package.json": '{"devDependencies": {"jest": "1"}}'})
    place.add_program("node")
    (command,) = json.loads(place.run("test", *arguments).stdout)
    assert command == {
        "framework": "jest",
        "language": "JavaScript",
        "found_by": "package.json",
        "command": "node_modules/.bin/jest",
        "folder": "",
        "problem": "`jest` is not installed; run `npm install`",
    }


def test_configured_command_is_shown_first(place: TestPlace) -> None:
    place.write({"test_cart.py": ""})
    place.configure(test_command="make check")
    first, second = json.loads(place.run("test", "detect", "--json").stdout)
    assert (first["framework"], first["command"]) == ("configured", "make check")
    assert (first["found_by"], second["framework"]) == ("task.test_command", "pytest")


def test_project_without_tests_is_exit_code_one(place: TestPlace) -> None:
    ended = place.run("test", "detect")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "no tests were found; add one of these: a test file of Python" in ended.stderr
    assert json.loads(place.run("test", "detect", "--json").stdout) == []


@pytest.fixture
def cart_place(place: TestPlace) -> TestPlace:
    place.write({"cart.py": "", "test_cart.py": "def test_cart():\n    pass\n", "src/tax.py": ""})
    assert place.run("trust", "--yes").returncode == 0
    return place


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("generate", "missing.py"), "there is no file `missing.py`"),
        (("--generate", "test_cart.py"), "`test_cart.py` belongs to the tests itself"),
        (("generate", "src"), "`src` is a folder"),
        (("generate", "../cart.py"), "outside the project"),
    ],
)
def test_other_files_are_wrong_input(
    cart_place: TestPlace, arguments: tuple[str, ...], reason: str
) -> None:
    ended = cart_place.run("test", *arguments, "--model", "scripted/none.json")
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
    assert reason in ended.stderr and "hint: " in ended.stderr
