"""Questions before a task's tests: without a sandbox, and for want of a unix socket."""

import json
from pathlib import Path

import pytest
from confinement import needs_bubblewrap

from maxagent import Answer, Runner, trust
from maxagent.nodes.testing.proof import NO_SOCKETS

SOCKETS = """
import multiprocessing


def test_manager():
    with multiprocessing.Manager() as manager:
        assert manager.dict(a=1)["a"] == 1


def test_forkserver():
    process = multiprocessing.get_context("forkserver").Process(target=print)
    process.start()
    process.join()
    assert process.exitcode == 0
"""


class World:
    """A trusted project whose coder writes its tests, and the runs of one home."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self.project.mkdir()
        self.home.mkdir()
        (self.project / "pytest.ini").write_text("[pytest]\naddopts = --disable-plugin-autoload\n")
        self._script, self._environment = folder / "scenario.json", monkeypatch
        self._environment.delenv("MAXAGENT_SANDBOX__MODE", raising=False)
        self.write_turns("def test_a(): pass", accepted=("Accepted.",))

    def configure(self, **settings: object) -> None:
        (self.home / "config.yaml").write_text(json.dumps(settings))

    def write_turns(self, tests: str, accepted: tuple[str, ...]) -> None:
        write = {"name": "write_file", "args": {"path": "test_a.py", "content": tests}}
        turns = {
            "architect": [{"text": "SMALL"}],
            "coder": [{"text": "", "tool_calls": [write]}, *[{"text": "done"}] * 3],
            "tester": [{"text": text} for text in accepted],
        }
        self._script.write_text(json.dumps(turns))

    async def start(self, mode: str = ""):
        trust(self.project, self.home)
        options = {"model": f"scripted/{self._script}", "apply": True, "mode": mode}
        async with Runner(home=self.home) as runner:
            return [item async for item in runner.task("x", folder=self.project, options=options)]

    async def answer(self, thread: str, **answer: object):
        async with Runner(home=self.home) as runner:
            return [item async for item in runner.resume(thread, Answer(**answer))]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def times_run(events) -> int:
    return len([event for event in events if event.type == "verifying"])


async def test_unconfined_tests_are_asked_once_per_thread(world: World) -> None:
    world.configure(sandbox="off")
    world.write_turns("def test_a(): pass", ("REJECTED: name it better", "Accepted."))
    process = await world.start("edits")
    (request,) = process[-1].action_requests
    assert (times_run(process), request["name"], request["sandbox"]) == (0, "run_tests", "")
    assert "without a sandbox" in request["description"]

    ended = await world.answer(process[0].thread_id, approve=True)
    assert (ended[-1].outcome, times_run(ended)) == ("verified", 2)


async def test_refused_unconfined_tests_do_not_run(world: World) -> None:
    world.configure(sandbox="off")
    process = await world.start()
    ended = await world.answer(process[0].thread_id, reject="no")
    assert (ended[-1].outcome, times_run(ended)) == ("unverified", 0)


@pytest.mark.parametrize(
    ("mode", "text", "of_project", "asked"),
    [
        ("auto", "", "", False),
        ("edits", "true", "", False),
        ("edits", "", "true", True),
        ("edits", "true", "echo", True),
    ],
    ids=["auto", "the user's command", "the project's command", "the project's instead"],
)
async def test_only_the_user_answers_beforehand(
    world: World, mode: str, text: str, of_project: str, asked: bool
) -> None:
    world.configure(sandbox="off", task={"test_command": text})
    if of_project:
        (world.project / ".llc.yaml").write_text(f"task: {{test_command: '{of_project}'}}\n")
    ended = (await world.start(mode))[-1]
    assert (ended.type == "question", getattr(ended, "outcome", "")) == (
        (True, "") if asked else (False, "verified")
    )


@needs_bubblewrap
async def test_confined_tests_are_not_asked(world: World) -> None:
    assert (await world.start("edits"))[-1].outcome == "verified"


@needs_bubblewrap
@pytest.mark.parametrize("mode", ["edits", pytest.param("auto", marks=pytest.mark.slow)])
async def test_tests_that_miss_a_socket_run_again(world: World, mode: str) -> None:
    world.write_turns(SOCKETS, ("REJECTED: name it better", "Accepted."))
    process = await world.start(mode)
    (evidence,) = [item for item in process if item.type == "evidence"]
    assert (evidence.verdict, evidence.reason.endswith(NO_SOCKETS.removeprefix("{reason}"))) == (
        "failed",
        True,
    )
    (request,) = process[-1].action_requests
    assert "with unix sockets" in request["description"]
    assert request["sandbox"].endswith("unix sockets are allowed")

    ended = await world.answer(process[0].thread_id, approve=True)
    assert (ended[-1].outcome, times_run(ended)) == ("verified", 2)


@needs_bubblewrap
async def test_refused_socket_is_asked_no_more(world: World) -> None:
    world.configure(task={"repair_rounds": 1})
    world.write_turns(SOCKETS, ())
    process = await world.start()
    ended = await world.answer(process[0].thread_id, reject="no")
    assert (ended[-1].outcome, times_run(ended)) == ("failed", 1)
    assert not any(item.type == "question" for item in ended)


@needs_bubblewrap
async def test_allowed_sockets_need_no_question(world: World) -> None:
    world.configure(sandbox={"unix_sockets": "allow"})
    world.write_turns(SOCKETS, ("Accepted.",))
    ended = await world.start()
    assert (ended[-1].outcome, times_run(ended)) == ("verified", 1)
