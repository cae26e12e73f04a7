"""Models that misbehave, each by a script over HTTP: their run must end, soon and with the right
exit code."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from provider import Answer, Provider

from maxagent import Runner, trust
from maxagent.cli.execution.run import to_exit_code
from maxagent.config import exit_codes
from maxagent.nodes.options import Options

LONG = "A line of a file that is long enough to be worth a reference.\n" * 8
RED = "task: {test_command: 'false', repair_rounds: 1}\n"
GREEN = "task: {test_command: 'true', repair_rounds: 1}\n"
PYTEST = "task: {repair_rounds: 1}\n"
FAILING_TEST = "def test_it():\n    assert 1 == 2\n"
SCHEMA = {"type": "object", "required": ["name"]}
# Requests of a model that repeats itself: it is told after three, set back after five, stopped
# after seven. A first call that may change files does not count, since no snapshot was before it.
STOPPED = 7
TURNS = 12


def call(name: str, arguments: object = None, /, **args: object) -> dict[str, Any]:
    return {"name": name, "args": args if arguments is None else arguments}


def turn(*calls: Mapping[str, Any], **more: Any) -> Answer:
    return {"text": "Next.", "tool_calls": list(calls), **more}


def edit(old: str, new: str) -> dict[str, Any]:
    return call("edit", file_path="a.txt", old_string=old, new_string=new)


READ, FAILS = call("read_file", path="a.txt"), call("run_command", command="false")
CUT = call("write_file", '{"path": "new.txt", "content": "x')
WRITE = call("write_file", path="new.txt", content="x\n")
DONE: Answer = {"text": "Done."}


# Tokens of a request that is over the limit of a small window
FULL = {"prompt_tokens": 18_000, "completion_tokens": 50, "total_tokens": 18_050}
SETTINGS = {
    "model": {"models": {"openai/served": {"context_length": 20_000}}},
    "context": {"model": "none"},
}


@dataclass(frozen=True)
class BadModel:
    """A model, and how its run must end."""

    name: str
    answers: Sequence[Answer] | Callable[[int], Answer]
    """In order, the last one again and again; or by the request's number."""
    requests: int
    """It may make at most so many."""
    code: int = exit_codes.FAILED
    graph: str = "chat"
    options: Options = field(default_factory=Options)
    project: str = ""
    """Settings of the project."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def task(name: str, answers: Sequence[Answer], requests: int, project: str, **more: Any):
    return BadModel(name, answers, requests, graph="task", project=project, **more)


MODELS = [
    BadModel("repeats a failing edit", [turn(READ), turn(edit("no such", "x"))], STOPPED + 2),
    BadModel("repeats a read", [turn(READ)], STOPPED),
    BadModel("repeats a failing command", [turn(FAILS)], STOPPED),
    BadModel("repeats three calls in each answer", [turn(READ, FAILS, READ)], STOPPED),
    BadModel("alternates two calls", lambda n: turn([READ, FAILS][n % 2]), STOPPED + 2),
    BadModel(
        "goes round three calls", lambda n: turn([READ, FAILS, call("git_status")][n % 3]), 11
    ),
    BadModel(
        "edits back and forth",
        lambda n: turn(*[[READ], [edit("line", "row")], [edit("row", "line")]][n and 1 + n % 2]),
        STOPPED + 4,
    ),
    BadModel("calls an unknown tool", [turn(call("launch_rocket", to="moon"))], STOPPED),
    BadModel("calls a tool with a typing error", [turn(call("raed_fiel", path="a"))], STOPPED),
    BadModel("sends invalid JSON", [turn(call("read_file", '{"path": "a'))], STOPPED),
    BadModel("leaves out arguments", [turn(call("read_file", {}))], STOPPED),
    BadModel("reads outside the project", [turn(call("read_file", path="../b"))], STOPPED),
    BadModel("writes its calls into its text", [{"text": "<raed><path>a</path></raed>"}], 1, 0),
    BadModel(
        "repeats a call in its text", [{"text": "<read_file>\n<path>a.txt</path>\n</read_file>"}], 7
    ),
    BadModel("answers nothing", [{}], 3),
    BadModel("only thinks", [{"thinking": "Hm, hm."}], 6),
    BadModel("is cut each time", [{"text": "It is", "finish_reason": "length"}], 2),
    BadModel("is cut in its calls", [turn(CUT, finish_reason="length")], STOPPED),
    BadModel("repeats a write", [turn(WRITE)], STOPPED + 1),
    BadModel(
        "writes todos without end",
        lambda n: turn(call("todowrite", todos=[{"id": "1", "content": f"Think {n} times"}])),
        36,
    ),
    BadModel(
        "completes beside a failing call", [turn(call("attempt_completion", result="x"), FAILS)], 7
    ),
    BadModel("repeats a denied call", [turn(WRITE)], STOPPED, options={"mode": "read-only"}),
    BadModel("writes in plan mode", [turn(WRITE)], STOPPED, options={"plan": True}),
    BadModel("asks where nobody is", [turn(call("ask_user", question="May I?"))], 1, 4),
    BadModel("asks for approval where nobody is", [turn(WRITE)], 1, 4, options={"mode": "ask"}),
    BadModel("never fits the schema", [{"text": "{}"}], 3, options={"schema": SCHEMA}),
    BadModel(
        "reads on without end",
        lambda n: turn(call("read_file", path="a.txt", end_line=9 + n)),
        TURNS,
        exit_codes.LIMIT_REACHED,
    ),
    BadModel("repeats itself in a full window", [turn(READ, usage=FULL)], STOPPED),
    BadModel("polls what changes", [turn(call("run_command", command="date +%N"))], TURNS, 3),
    BadModel(
        "prints without end",
        [turn(call("run_command", command="yes | head -c 3000000")), DONE],
        2,
        0,
    ),
    BadModel("answers at great length", [{"text": LONG * 400, "portion": 9000}], 1, 0),
    BadModel("edits other files", [turn(WRITE)], STOPPED, graph="edit"),
    BadModel("edits nothing", [DONE], 1, graph="edit"),
    task("claims done with red tests", [DONE], 3, RED),
    task("claims done without a change", [DONE], 9, GREEN),
    task("never gives a verdict", [{"text": "It looks fine to me."}], 9, GREEN),
    task("always rejects", [{"text": "REJECTED: it is not nice."}], 5, GREEN),
    task("forgets the task", [{"text": "Hello! What can I do for you?"}], 9, GREEN),
    task("plans without end", [turn(READ)], STOPPED, GREEN),
    task("repeats itself in its work", [DONE, turn(FAILS)], STOPPED + 1, GREEN),
    task(
        "deletes the tests",
        [DONE, turn(call("run_command", command="rm test_it.py")), DONE, {"text": "ACCEPTED"}],
        9,
        PYTEST,
        files={"test_it.py": FAILING_TEST},
    ),
]


def script(model: BadModel) -> Callable[[object], Answer]:
    answers = model.answers
    if callable(answers):
        numbers = iter(range(1000))
        return lambda request: answers(next(numbers))
    remaining = chain(answers, repeat(answers[-1]))
    return lambda request: next(remaining)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
async def test_bad_model_is_ended_with_its_exit_code(
    model: BadModel, tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    for name, text in {"a.txt": f"line\n{LONG}", ".llc.yaml": model.project, **model.files}.items():
        (project / name).write_text(text)
    home.mkdir()
    (home / "config.yaml").write_text(json.dumps(SETTINGS))
    trust(project, home)
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("LLC_MODEL__RETRY__INITIAL_DELAY", "0.01")
    monkeypatch.setenv("LLC_MODEL__RETRY__MAX_RETRIES", "2")
    provider.script(script(model))
    options: Options = {
        "model": "openai/served",
        "base_url": provider.url,
        "mode": "auto",
        "max_turns": 40 if model.code != exit_codes.LIMIT_REACHED else TURNS,
        **({"apply": True} if model.graph == "task" else {}),
        **model.options,
    }
    async with Runner(home=home) as runner:
        start: Mapping[str, Callable[[], Any]] = {
            "chat": lambda: runner.chat("Work.", folder=project, options=options),
            "edit": lambda: runner.edit("x", files=["a.txt"], folder=project, options=options),
            "task": lambda: runner.task("Work.", folder=project, options=options),
        }
        events = [event async for event in start[model.graph]()]
    made = len(provider.requests)
    assert (to_exit_code(events[-1]), made <= model.requests) == (model.code, True), (
        made,
        json.dumps([str(event)[:300] for event in events[-4:]], indent=1),
    )
