"""A task of more than fifty tool calls on a project of many files, over HTTP, until it is verified.

A price list whose modules add where they should multiply: the architect reads all of it, the coder
repairs module after module, forgets one, is sent back by red tests, and the tester accepts.
"""

import os
import subprocess
import sys
from collections import Counter
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from program import Ended, Program
from provider import Provider, Request
from screen import ScreenTerminal

GOODS = ["apple", "bread", "cheese", "date", "egg", "fig", "grape", "honey"]
FORGOTTEN = GOODS[-1]
MODULE = """def total(pieces: int, price: int) -> int:
    \"\"\"The price of some {name}.\"\"\"
    return {sum}
"""
TEST = """from shop.{name} import total


def test_total_of_{name}():
    assert total(3, 50) == 150


def test_nothing_costs_nothing_{name}():
    assert total(0, 50) == 0
"""
WRONG, RIGHT = "pieces + price", "pieces * price"
BASKET = "from shop import " + ", ".join(GOODS) + "\n\nALL = [" + ", ".join(GOODS) + "]\n"
BASKET_TEST = "from shop.basket import ALL\n\n\ndef test_all():\n    assert len(ALL) == 8\n"
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"

Call = dict[str, Any]


def call(name: str, **args: object) -> Call:
    return {"name": name, "args": args}


def turn(*calls: Call) -> Call:
    return {"text": "Next: ", "thinking": "What is next?", "tool_calls": list(calls)}


def repair(name: str, new: str = RIGHT) -> list[Call]:
    """Read a module and its test; change the module and note that."""
    path = f"shop/{name}.py"
    edit = call("edit", file_path=path, old_string=WRONG, new_string=new)
    note = call("todowrite", action="mark_completed", todos=[name])
    read = [call("read_file", path=path), call("read_file", path=f"tests/test_{name}.py")]
    return [turn(*read), turn(edit, note)]


def looking() -> list[Call]:
    look = [call("list_files", recursive=True), call("glob", pattern="tests/**/*.py")]
    git = [call("git_log"), call("git_branch"), call("git_status")]
    reads = [call("read_file", path=f"shop/{name}.py") for name in GOODS]
    return [turn(*look, *git), turn(call("grep", regex=r"pieces \+ price"), *reads)]


def working() -> list[Call]:
    todos = [{"id": name, "content": f"Repair {name}"} for name in GOODS]
    repairs = [each for name in GOODS[:-1] for each in repair(name)]
    new = [
        call("write_file", path="shop/basket.py", content=BASKET),
        call("write_file", path="tests/test_basket.py", content=BASKET_TEST),
        call("run_command", command=f"{PYTEST} tests/test_basket.py"),
    ]
    ready = call("attempt_completion", result="All prices are products.")
    return [
        turn(call("todowrite", todos=todos)),
        *repairs,
        turn(*new),
        turn(call("git_diff"), call("git_status"), call("todoread")),
        turn(ready),
        turn(ready),  # asked about the open task
        turn(call("grep", regex=r"pieces \+ price", file_pattern="*.py")),  # after red tests
        *repair(FORGOTTEN),
        turn(call("run_command", command=PYTEST), call("todoclear")),
        turn(ready),
    ]


def judging() -> list[Call]:
    return [turn(call("git_diff"), call("read_file", path="tests/test_basket.py"))]


@pytest.fixture
def project(program: Program) -> Path:
    """The price list, under git."""
    settings = (
        '[tool.pytest.ini_options]\npythonpath = "."\naddopts = "--disable-plugin-autoload"\n'
    )
    files = {"shop/__init__.py": "", "pyproject.toml": settings}
    for name in GOODS:
        files[f"shop/{name}.py"] = MODULE.format(name=name, sum=WRONG)
        files[f"tests/test_{name}.py"] = TEST.format(name=name)
    for name, text in files.items():
        path = program.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    owner = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}
    for arguments in (["init", "-qb", "main"], ["add", "."], [*owner, "commit", "-qm", "Prices"]):
        subprocess.run(["git", *arguments], cwd=program.project, env=environ, check=True)
    return program.project


def test_a_long_task_ends_verified(program: Program, provider: Provider, project: Path) -> None:
    plan, accepted = {"text": "Multiply in every module."}, {"text": "Accepted: all multiply."}
    provider.script([*looking(), plan, *working(), *judging(), accepted])
    request = "Repair the failing tests."  # so none that was red before is excused
    ended = program.task("--mode", "auto", "--apply", "--trust", request=request)
    assert (ended.code, ended.stderr, ended.outcome) == (0, "", "verified")
    check_calls(ended)
    check_proof(ended)
    for name in GOODS:
        assert (project / f"shop/{name}.py").read_text() == MODULE.format(name=name, sum=RIGHT)
    assert sorted(file["path"] for file in ended.last["files"]) == sorted(
        ["shop/basket.py", "tests/test_basket.py", *(f"shop/{name}.py" for name in GOODS)]
    )
    assert_requests_only_grow(provider.requests)


def check_calls(ended: Ended) -> None:
    """At least fifty calls, of every kind, and each has succeeded once."""
    calls, results = ended.told("tool_call"), ended.told("tool_result")
    assert [result for result in results if not result["ok"]] == []
    assert sorted(each["id"] for each in calls) == sorted(each["id"] for each in results)
    assert len(calls) >= 50
    assert set(Counter(each["tool"] for each in calls)) == {
        "list_files", "glob", "grep", "read_file", "edit", "write_file", "run_command", "todowrite",
        "todoread", "todoclear", "git_log", "git_branch", "git_status", "git_diff",
        "attempt_completion",
    }  # fmt: skip


def check_proof(ended: Ended) -> None:
    """Red first, then green, and the green one is of the files as they are."""
    red, green = ended.told("evidence")
    assert (red["verdict"], red["failed"], green["verdict"]) == ("failed", 2, "passed")
    assert (green["passed"], green["failed"], green["errors"]) == (2 * len(GOODS) + 1, 0, 0)
    assert green["tree"] == ended.told("files_changed")[-1]["tree"]
    assert [event["round"] for event in ended.told("repair")] == [1]


def assert_requests_only_grow(requests: list[Request]) -> None:
    """Each role's next request repeats the one before byte for byte and adds to it."""
    for _, turns in groupby(requests, lambda request: request.body["messages"][0]["content"]):
        for earlier, later in pairwise(turns):
            assert later.raw.startswith(earlier.raw.removesuffix(b"]}"))


def red_steps() -> list[Call]:
    """Sixty steps, of which one changes a module and one in five fails, and repairs in vain."""
    steps: list[Call] = []
    for n in range(20):
        name = GOODS[n % len(GOODS)]
        new = f"pieces + price + {n}"
        edit = call(
            "edit", file_path=f"shop/{name}.py", old_string="pieces + price", new_string=new
        )
        script = f"print('checked {n:02}'); raise SystemExit({n % 5 == 4:d})"
        check = call("run_command", command=f'{sys.executable} -c "{script}"')
        steps += [turn(call("read_file", path=f"shop/{name}.py")), turn(edit), turn(check)]
    return [*steps, turn(call("attempt_completion", result="All is right."))]


@pytest.mark.parametrize("columns", [120, 80])
def test_red_task_of_sixty_steps_takes_forty_rows(
    program: Program, provider: Provider, project: Path, columns: int
) -> None:
    repairs = [
        each
        for n in range(3)
        for each in (
            turn(call("write_file", path="shop/note.py", content=f"ROUND = {n}\n")),
            turn(call("attempt_completion", result="All is right.")),
        )
    ]
    provider.script([{"text": "SMALL: multiply."}, *red_steps(), *repairs])
    command = ["task", "Repair the failing tests.", "--model", "openai/served"]
    options = ["--base-url", provider.url, "--mode", "auto", "--apply", "--trust"]
    argv = [sys.executable, "-m", "maxagent", *command, *options]
    environ = {**program.environ, "TERM": "xterm-256color"}
    with ScreenTerminal(argv, project, environ, columns=columns, rows=24) as terminal:
        assert terminal.end() == 1
        rows = terminal.scrollback().rstrip("\n").split("\n")
    assert len(rows) <= 40, "\n".join(rows)
    text = "\n".join(rows)
    assert "failed 4 times" in text and "✗ failed" in text and text.count("✗ tests") == 1, text
    assert terminal.glass.wraps == 0
    everything = program.run("threads", "show", "--full").stdout
    outputs = {f"    checked {n:02}" for n in range(20)}
    assert outputs <= set(everything.split("\n")) and everything.count("short test summary") == 4
    diffs = [line for line in everything.split("\n") if line.startswith("    +    return pieces")]
    assert len(diffs) == 20
