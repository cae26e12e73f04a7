"""`mcode test generate`: the tester of a real process writes tests for a file, and nothing else."""

import json
import shutil
import signal
import threading

import pytest
from faults import Answer
from program import Program
from provider import Provider, Request

CART = "def total(prices):\n    return sum(prices)\n"
OLD = "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
RED = "from cart import total\n\n\ndef test_empty():\n    assert total([]) == 1\n"
GREEN = RED.replace("== 1", "== 0")
ALREADY_RED = "def test_tax():\n    assert False\n"
SETTINGS = "[pytest]\naddopts = --disable-plugin-autoload\n"
SCRIPT = "export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)\n"
SCRIPT_TEST = """import assert from 'node:assert'
import test from 'node:test'
import { total } from './cart.mjs'

test('adds prices', () => assert.equal(total([1, 2]), 3))
"""
NEW_SCRIPT_TEST = SCRIPT_TEST.replace("adds prices", "of no prices").replace("[1, 2]), 3", "[]), 0")
DONE = {"text": "An empty cart costs nothing."}
OPTIONS = ("--apply", "--trust", "--mode", "auto")


def write(path: str, content: str) -> Answer:
    args = {"path": path, "content": content}
    return {"tool_calls": [{"name": "write_file", "args": args}]}


@pytest.fixture
def cart(program: Program) -> Program:
    files = {
        "cart.py": CART,
        "test_cart.py": OLD,
        "test_tax.py": ALREADY_RED,
        "pytest.ini": SETTINGS,
    }
    for name, content in files.items():
        (program.project / name).write_text(content)
    return program


def generate(provider: Provider, file: str, *options: str, output: str) -> list[str]:
    model = ["--model", "openai/served", "--base-url", provider.url]
    return ["test", "generate", file, "--output", output, *model, *OPTIONS, *options]


def list_files(program: Program) -> dict[str, str]:
    """The project's own files with what is in them."""
    files = [path for path in program.project.iterdir() if path.is_file()]
    return {path.name: path.read_text() for path in files}


def test_red_tests_go_back_until_verified(cart: Program, provider: Provider) -> None:
    before = list_files(cart)
    wrong = write("cart.py", CART.replace("sum(prices)", "1"))
    reread = {"tool_calls": [{"name": "read_file", "args": {"path": "test_empty.py"}}]}
    provider.script(
        [wrong, write("test_empty.py", RED), DONE, reread, write("test_empty.py", GREEN), DONE]
    )
    ended = cart.run(
        *generate(provider, "cart.py", "-m", "What fails if a cart is empty?", output="stream-json")
    )

    assert (ended.code, ended.outcome) == (0, "verified"), ended.stderr
    assert [event["reason"] for event in ended.told("evidence")] == [
        "2 failed, 1 passed; not from this change: `test_tax.py::test_tax`",
        "2 passed, 1 failed (as before); not from this change: `test_tax.py::test_tax`",
    ]
    purposes = [event["purpose"] for event in ended.told("verifying")]
    assert purposes == ["before", "", "again", ""]  # the first run is the baseline
    assert list_files(cart) == {**before, "test_empty.py": GREEN}
    first, refused, *_, repair, _, _ = [request.raw.decode() for request in provider.requests]
    assert (
        "Write tests for `cart.py`." in first
        and "What fails if a cart is empty?" in first
        and "1 failed, 1 passed" in first
    )
    assert "only test files can be changed" in refused and "Find the cause and repair" in repair

    thread = ended.events[0]["thread_id"]
    data = json.loads(cart.run("threads", "list", "--json").stdout)
    assert [row["thread_id"] for row in data] == [thread]
    result = cart.run("threads", "show", thread)
    assert result.code == 0 and "test_empty.py" in result.stdout, result.stderr
    assert cart.run("undo", "--yes").code == 0
    assert list_files(cart) == before


def test_killed_tester_goes_on_without_a_second_first_run(
    cart: Program, provider: Provider
) -> None:
    reached = threading.Event()
    answers = iter([write("test_empty.py", GREEN), {"hang_after": 0, "text": "never"}, DONE])

    def answer(request: Request) -> Answer:
        if b"test_empty.py" in request.raw:
            reached.set()
        return next(answers)

    provider.script(answer)
    command, subject, *remainder = generate(provider, "cart.py", output="stream-json")
    process = cart.start(command, subject, *remainder)
    assert reached.wait(60)
    process.kill()
    killed = cart.end(process)
    assert killed.code == -signal.SIGKILL
    assert [event["purpose"] for event in killed.told("verifying")] == ["before"]

    ended = cart.resume(killed.events[0]["thread_id"])
    assert (ended.code, ended.outcome) == (0, "verified"), ended.stderr
    assert [event["purpose"] for event in ended.told("verifying")] == [""]


def test_a_script_gets_tests_of_its_framework(program: Program, provider: Provider) -> None:
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not installed")
    package = {"type": "module", "scripts": {"test": "node --test"}}
    files = {"package.json": json.dumps(package), "cart.mjs": SCRIPT, "cart.test.mjs": SCRIPT_TEST}
    for name, content in files.items():
        (program.project / name).write_text(content)
    provider.script([write("empty.test.mjs", NEW_SCRIPT_TEST), DONE])
    ended = program.run(*generate(provider, "cart.mjs", output="json"))
    assert (ended.code, ended.outcome) == (0, "verified"), ended.stdout + ended.stderr
    assert ended.last["evidence"]["command"] == "npm test"
    assert list_files(program) == {**files, "empty.test.mjs": NEW_SCRIPT_TEST}
