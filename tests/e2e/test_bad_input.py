"""Wrong input of every kind, as real processes: a clear message, the exit code, nothing changed."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from program import Ended, Program
from provider import Provider

from maxagent import trust
from maxagent.memory.threads.index import ThreadIndex

Prepare = Callable[[Program], object]

WRITE = {"name": "write_file", "args": {"path": "log.txt", "content": "x\n"}}
DONE = {"name": "attempt_completion", "args": {"result": "done"}}
SMALL, ACCEPTED = {"text": "SMALL: log.txt"}, {"text": "Accepted."}
TESTED = {"LLC_TASK__TEST_COMMAND": "test -s log.txt"}


def calls(*called: Any) -> list[dict[str, Any]]:
    """What the coder does; the architect and the tester agree."""
    turns = [{"tool_calls": call if isinstance(call, list) else [call]} for call in (*called, DONE)]
    return [SMALL, *turns, ACCEPTED]


def write(name: str, text: str) -> Prepare:
    """Put a file into the project, or into the home where `~/` says so."""

    def prepare(program: Program) -> None:
        folder = program.home if name.startswith("~/") else program.project
        path = folder / name.removeprefix("~/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        if name == ".llc.yaml":
            trust(program.project, program.home)

    return prepare


def nothing(program: Program) -> None:
    """The project is as it is."""


def newer_database(program: Program) -> None:
    ThreadIndex(program.home)
    database = program.home / "data/threads.db"
    changed = bytearray(database.read_bytes())
    changed[60:64] = (99).to_bytes(4, "big")
    database.write_bytes(changed)


def two_threads(program: Program) -> None:
    index = ThreadIndex(program.home)
    for last in "12":
        thread = f"abcdef00-0000-4000-8000-00000000000{last}"
        value = {"title": last, "folder": "/", "graph": "task", "request": "", "options": {}}
        index.record_thread(thread_id=thread, **value)


def known_threads(program: Program) -> list[tuple[object, ...]]:
    """The rows of the list of threads, read without our own code, which may refuse the file."""
    database = program.home / "data/threads.db"
    if not database.exists():
        return []
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT * FROM threads").fetchall()


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def is_refusal(ended: Ended, code: int) -> bool:
    """An error in one line and perhaps what to do in a second; no traceback, no answer."""
    starts = [line.partition(": ")[0] for line in ended.stderr.splitlines()]
    return (ended.code, ended.stdout) == (code, "") and starts in (["error", "hint"], ["error"])


TASK = ("task", "Write the lines.")
SHOW = ("config", "show")
NO_KEY = {"OPENAI_API_KEY": ""}
MANY = "\nmodel:\n  max_iterations: many\n"
WRONG: dict[str, tuple[Prepare, tuple[str, ...], dict[str, str], str]] = {
    "no key": (nothing, (*TASK, "-m", "openai/x"), NO_KEY, "No key for the provider `openai`"),
    "no provider": (nothing, TASK, NO_KEY, "no model provider is configured"),
    "unknown provider": (nothing, (*TASK, "-m", "nope/x"), {}, "unknown provider `nope`"),
    "bad address": (nothing, (*TASK, "--base-url", "here"), {}, "is not an http(s) address"),
    "no request": (nothing, ("task", " "), {}, "the request is empty"),
    "a file": (write("file", ""), (*TASK, "-C", "file"), {}, "file` is not a folder"),
    "no folder": (nothing, (*TASK, "-C", "/no/where"), {}, "`/no/where` is not a folder"),
    "broken YAML": (write(".llc.yaml", "a: [1\n"), TASK, {}, ".llc.yaml:2: not YAML"),
    "wrong key": (write(".llc.yaml", "model:\n  x: 1\n"), SHOW, {}, ".llc.yaml:2: unknown key"),
    "wrong type": (
        write("~/config.yaml", MANY),
        SHOW,
        {},
        'config.yaml:3: `model.max_iterations` must be a valid integer, not `"many"`',
    ),
    "no script": (nothing, (*TASK, "-m", "scripted/none"), {}, "none` cannot be read"),
    "broken script": (write("s", "{\n"), (*TASK, "-m", "scripted/s"), {}, "`s`, line 2, column 1"),
    "wrong script": (write("s", "[1]"), (*TASK, "-m", "scripted/s"), {}, "`s`: 0: Input should"),
    "no role": (
        write("s", '{"coder": []}'),
        (*TASK, "-m", "scripted/s"),
        {},
        "no role `architect`",
    ),
    "newer database": (
        newer_database,
        TASK,
        {},
        "a newer MaxAgent wrote the list of threads (version 99",
    ),
    "newer for a list": (
        newer_database,
        ("threads", "list"),
        {},
        "a newer MaxAgent wrote the list",
    ),
    "newer for a resume": (newer_database, ("resume",), {}, "a newer MaxAgent wrote the list"),
    "no thread": (nothing, ("resume", "12345678"), {}, "no thread `12345678`"),
    "no thread yet": (nothing, ("resume",), {}, "no threads in `"),
    "two threads": (two_threads, ("resume", "abcd"), {}, "`abcd` matches 2 threads"),
    "yes and no": (
        nothing,
        ("resume", "--approve", "--reject", "x"),
        {},
        "cannot be used together",
    ),
}


@pytest.mark.parametrize(("prepare", "command", "environ", "text"), WRONG.values(), ids=WRONG)
def test_wrong_input_ends_in_words_and_changes_nothing(
    prepare: Prepare, command: tuple[str, ...], environ: dict[str, str], text: str, program: Program
) -> None:
    prepare(program)
    project, threads = files(program.project), known_threads(program)
    ended = program.run(*command, **environ)
    assert text in ended.stderr.splitlines()[0]
    assert is_refusal(ended, 2), ended.stderr
    assert (files(program.project), known_threads(program)) == (project, threads)


def test_unknown_model_ends_run_and_keeps_thread(program: Program, provider: Provider) -> None:
    error = {"error": {"message": "The model `served` does not exist", "code": "model_not_found"}}
    provider.script([{"status": 404, "body": error}])
    ended = program.task()
    assert (ended.code, ended.last["type"], ended.stderr) == (1, "error", "")
    assert "served" in ended.last["message"] and ended.last["hint"]
    assert len(provider.requests) == 1
    assert ended.last["thread_id"] in program.run("threads", "list", "--json").stdout


def test_an_answer_that_does_not_fit_changes_nothing(program: Program, provider: Provider) -> None:
    asks = {"name": "ask_user", "args": {"question": "Which line?"}}
    provider.script(calls(asks, WRITE))
    asked = program.task("--apply", **TESTED)
    assert (asked.code, asked.last["type"]) == (4, "question")
    thread = asked.last["thread_id"]

    approved = program.resume(thread, "--approve")
    assert is_refusal(approved, 2), approved.stderr
    assert approved.stderr.splitlines()[1].startswith("hint: use `--reject WHY`, `--answer TEXT`")
    ended = program.resume(thread, "--answer", "the first", **TESTED)
    assert (ended.code, ended.outcome) == (0, "verified")

    again = program.resume(thread, "--answer", "the second")
    assert is_refusal(again, 2) and "has no open question" in again.stderr
    assert program.resume(thread).last == ended.last
