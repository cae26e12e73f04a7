"""An approval, a rule for the thread and "always" cover what a call starts, as the user saw it."""

import json
from pathlib import Path

import pytest
from confinement import ASKING, needs_bubblewrap

from maxagent import Answer, Runner
from maxagent.sdk.threads.transcript import read_transcript
from maxagent.tools.consent.rule_record import read_project_rules

PACKAGE = '{"scripts": {"x": "echo %s >> log"}}'
YES = {"type": "approve"}
pytestmark = needs_bubblewrap
PROBE = "ls {beyond} && echo ran >> log.txt || {{ echo 'cp: Read-only file system'; exit 1; }}\n"
"""What stands beside the project is not there inside: `/tmp` is the command's own."""
RUN = {"name": "run_command", "args": {"command": "sh probe.sh"}}
AFTER = {"name": "run_command", "args": {"command": "touch after.txt"}}


class Place:
    """Two projects with their user, and a model that calls one command again and again."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        self.runner, self.home, self.script = runner, folder / "home", folder / "scenario.json"
        self.home.mkdir(exist_ok=True)
        self.root, self.other = folder / "project", folder / "other"
        self.root.mkdir()
        self.other.mkdir()

    async def start(self, *calls: dict, mode: str = "ask", root: Path | None = None):
        turns = [{"tool_calls": [call]} for call in calls]
        return await self.start_turns(*turns, mode=mode, root=root)

    async def start_turns(self, *turns: dict, mode: str = "ask", root: Path | None = None):
        await self.runner.pool.close()  # the model reads its script once
        coder = [*turns, {"text": "done"}]
        self.script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
        model = {"model": f"scripted/{self.script}", "skip_tests": True, "apply": True}
        options = {**model, "mode": mode}
        return await self._last(self.runner.task("x", folder=root or self.root, options=options))

    async def resume(self, last, **decision):
        """Answer as another process would."""
        await self.runner.pool.close()
        answer = Answer(decisions=[{**YES, **decision}])
        return await self._last(self.runner.resume(last.thread_id, answer))

    async def _last(self, events):
        self.results, last = [], None
        async for last in events:
            if last.type == "tool_result":
                self.results.append(last)
        return last

    def log(self, root: Path | None = None) -> str:
        file = (root or self.root) / "log"
        return file.read_text() if file.exists() else ""


@pytest.fixture
async def world(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as runner:
        yield Place(tmp_path, runner)


def run(command: str) -> dict:
    return {"name": "run_command", "args": {"command": command}}


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    (root / name).chmod(0o755)


CASES = [
    ("bash run.sh", "run.sh", "echo %s >> log\n"),
    ("./run.sh", "run.sh", "#!/bin/sh\necho %s >> log\n"),
    ("cd sub && sh run.sh", "sub/run.sh", "echo %s >> ../log\n"),
    ("cat run.sh | bash", "run.sh", "echo %s >> log\n"),
    ("make all", "Makefile", "all:\n\techo %s >> log\n"),
    ("python3 tools/x.py", "tools/x.py", "open('log', 'a').write('%s\\n')\n"),
]


@pytest.mark.parametrize(("command", "file", "text"), CASES)
async def test_swapped_script_is_asked_again(world: Place, command: str, file: str, text: str):
    write(world.root, file, text % "good")
    asked = await world.start(run(command))
    write(world.root, file, text % "evil")
    again = await world.resume(asked)
    assert (again.type, world.log()) == ("question", "")
    [request] = again.action_requests
    assert "since you were asked" in request["description"] and file in request["description"]
    assert "evil" in request["diff"] and "good" in request["diff"]
    ended = await world.resume(again)
    assert (ended.type, world.log()) == ("completion", "evil\n")


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("bash run.sh", "run.sh"),
        ("make all", "Makefile"),
        ("npx jest", ".npmrc"),
        ("python3 tools/x.py", "tools/x.py"),
        ("just all", "justfile"),
        ("yarn exec jest", ".yarnrc.yml"),
    ],
)
async def test_new_origin_is_shown_when_asked_again(world: Place, command: str, file: str):
    asked = await world.start(run(command))
    write(world.root, file, "evil: 1\n")
    again = await world.resume(asked)
    [request] = again.action_requests
    assert "since you were asked" in request["description"] and file in request["description"]
    assert "+evil" in request["diff"]


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_script_changed_before_its_turn_is_asked(world: Place, decision: str):
    write(world.root, "run.sh", "echo good >> log\n")
    swap, start = run("printf 'echo evil >> log\n' > run.sh"), run("bash run.sh")
    asked = await world.start_turns({"tool_calls": [swap, start]})
    assert len(asked.action_requests) == 2
    await world.runner.pool.close()
    asked = await world._last(world.runner.resume(asked.thread_id, Answer(decisions=[YES, YES])))
    assert (asked.type, [result.ok for result in world.results]) == ("question", [True])
    [request] = asked.action_requests
    assert "`script` in `run.sh` changed" in request["description"] and world.log() == ""
    assert "-echo good" in request["diff"] and "+echo evil" in request["diff"]
    ended = await world.resume(asked, type=decision)
    assert ended.type == "completion"
    assert world.log() == ("evil\n" if decision == "approve" else "")


REPAIR = {"old_string": "good", "new_string": "better"}


@pytest.mark.parametrize(("command", "file", "text"), CASES)
async def test_script_that_an_allowed_edit_writes_is_asked_with_it(
    world: Place, command: str, file: str, text: str
):
    write(world.root, file, text % "good")
    edit = {"name": "edit", "args": {"path": file, **REPAIR}}
    read = {"name": "read_file", "args": {"path": file}}
    turns = ({"tool_calls": [read]}, {"tool_calls": [edit, run(command)]})
    last = await world.start_turns(*turns, mode="edits")
    for _ in range(2):
        if last.type == "question":
            last = await world.resume(last)
    assert (last.type, world.log()) == ("completion", "better\n")
    assert all(result.ok for result in world.results)


async def test_script_that_an_asked_edit_writes_runs(world: Place):
    args = {"path": "run.sh", "content": "echo new >> log\n"}
    edit, start = {"name": "write_file", "args": args}, run("bash run.sh")
    asked = await world.start_turns({"tool_calls": [edit, start]})
    assert ["always" in request for request in asked.action_requests] == [True, False]
    await world.runner.pool.close()
    ended = await world._last(world.runner.resume(asked.thread_id, Answer(decisions=[YES, YES])))
    assert (ended.type, world.log()) == ("completion", "new\n")


async def test_always_belongs_to_project_and_script(world: Place):
    for root in (world.root, world.other):
        write(root, "run.sh", "echo good >> log\n")
    asked = await world.start(run("bash run.sh"), run("bash run.sh"))
    rule = asked.action_requests[0]["always"]
    assert rule == "run_command(bash run.sh)"
    ended = await world.resume(asked, always=rule)
    assert (ended.type, world.log()) == ("completion", "good\ngood\n")
    assert [*read_project_rules(world.home)] == [str(world.root.resolve())]
    assert not (world.home / "config.yaml").exists()
    assert (await world.start(run("bash run.sh"))).type == "completion"

    assert (await world.start(run("bash run.sh"), root=world.other)).type == "question"
    write(world.root, "run.sh", "echo evil >> log\n")
    for mode in ("ask", "auto"):
        again = await world.start(run("bash run.sh"), mode=mode)
        [request] = again.action_requests
        assert "you have allowed `run_command(bash run.sh)`" in request["description"]
        assert "+echo evil >> log" in request["diff"] and "-echo good" in request["diff"]
    ended = await world.resume(again, always=request["always"])
    assert (await world.start(run("bash run.sh"))).type == "completion"
    assert world.log() == "good\n" * 3 + "evil\n" * 2


async def test_rule_for_thread_covers_same_script_only(world: Place):
    write(world.root, "run.sh", "echo good >> log\n")
    change = run("printf 'echo evil >> log\\n' > run.sh")
    asked = await world.start(run("bash run.sh"), run("bash run.sh"), change, run("bash run.sh"))
    asked = await world.resume(asked, for_thread=True)
    assert "printf" in str(asked.action_requests) and world.log() == "good\ngood\n"
    asked = await world.resume(asked)
    assert "+echo evil >> log" in asked.action_requests[0]["diff"]
    assert world.log() == "good\ngood\n"


@pytest.mark.parametrize("rule", ["run_command(bash:*)", "run_command", "edit", "", None])
async def test_answer_cannot_widen_its_rule(world: Place, rule: object):
    write(world.root, "run.sh", "echo good >> log\n")
    asked = await world.start(run("bash run.sh"))
    assert (await world.resume(asked, always=rule)).type == "completion"
    assert read_project_rules(world.home) == {}


async def test_rule_that_user_wrote_binds_to_nothing(world: Place):
    allow = "permissions: {allow: ['run_command(bash run.sh)']}\n"
    (world.home / "config.yaml").write_text(allow)
    for text in ("echo one >> log\n", "echo two >> log\n"):
        write(world.root, "run.sh", text)
        assert (await world.start(run("bash run.sh"))).type == "completion"
    assert world.log() == "one\ntwo\n"


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"/a": 1}', '{"/a": [1]}', '{"/a": [{"rule": "x"}]}']
)
async def test_rule_that_cannot_be_kept_is_reported(world: Place, content: str):
    write(world.root, "run.sh", "echo good >> log\n")
    asked = await world.start(run("bash run.sh"))
    (world.home / "data/rules.json").write_text(content)
    await world.runner.pool.close()
    always = asked.action_requests[0]["always"]
    answer = Answer(decisions=[{**YES, "always": always}])
    events = [event async for event in world.runner.resume(asked.thread_id, answer)]
    notices = [event.text for event in events if event.type == "notice"]
    assert (events[-1].type, world.log()) == ("completion", "good\n")
    assert any(always in notice and "rules.json.damaged" in notice for notice in notices)


@pytest.fixture(autouse=True)
def commands_run_confined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ASKING, "run")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "beyond").touch()
    (folder / "probe.sh").write_text(PROBE.format(beyond=tmp_path / "beyond"))
    return folder


@pytest.fixture
async def runner(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


async def events_of(events):
    return [event async for event in events]


async def started(runner: Runner, project: Path, *calls, **more: object):
    script = project.parent / "scenario.json"
    turns = {"architect": [{"text": "SMALL"}], "coder": [{"tool_calls": calls}, {"text": "done"}]}
    script.write_text(json.dumps(turns))
    options = {"model": f"scripted/{script}", "skip_tests": True, "apply": True, **more}
    return await events_of(runner.task("probe", folder=project, options=options))


def results(events):
    return [(event.ok, event.tool) for event in events if event.type == "tool_result"]


async def test_blocked_command_is_asked_and_runs_outside(runner, project):
    before = await started(runner, project, RUN, AFTER)
    [request] = before[-1].action_requests
    assert request["args"] == {"command": "sh probe.sh", "outside_sandbox": True}
    assert "Read-only file system" in request["description"]
    assert not (project / "after.txt").exists()

    after = await events_of(runner.resume(before[-1].thread_id, Answer(approve=True)))

    assert results(before) + results(after) == [(True, "run_command")] * 2
    assert (project / "log.txt").read_text() == "ran\n"
    assert (project / "after.txt").exists() and after[-1].type == "completion"


async def test_refused_block_answers_with_first_result(runner, project):
    before = await started(runner, project, RUN, AFTER)
    after = await events_of(runner.resume(before[-1].thread_id, Answer(reject="stay inside")))
    [first, second] = [item for item in after if item.type == "tool_result"]
    assert "Read-only file system" in first.error and "stay inside" in first.error
    assert not first.ok and second.ok and (project / "after.txt").exists()
    assert not (project / "log.txt").exists()


async def test_block_question_outlives_its_process(tmp_path, project):
    async with Runner(home=tmp_path / "home") as runner:
        question = (await started(runner, project, RUN))[-1]
    async with Runner(home=tmp_path / "home") as other:
        again = (await events_of(other.resume(question.thread_id)))[-1]
        assert again.action_requests == question.action_requests
        end = (await events_of(other.resume(question.thread_id, Answer(approve=True))))[-1]
    assert end.type == "completion" and (project / "log.txt").read_text() == "ran\n"


async def test_transcript_tells_second_run(runner, project):
    question = (await started(runner, project, RUN))[-1]
    await events_of(runner.resume(question.thread_id, Answer(approve=True)))
    row = runner.threads.find(question.thread_id)
    [call] = [item for item in read_transcript(row, runner.home) if item.kind == "call"]
    assert call.ok and call.facts["exit_code"] == 0


async def test_auto_mode_answers_blocked_command(runner, project):
    events = await started(runner, project, RUN, mode="auto")
    assert results(events) == [(False, "run_command")] and events[-1].type == "completion"


@pytest.mark.parametrize("command", ["curl -s http://localhost:9", "echo x > /opt/elsewhere/x"])
async def test_command_beyond_the_wall_is_asked_before(runner, project, command):
    call = {"name": "run_command", "args": {"command": command}}
    [request] = (await started(runner, project, call))[-1].action_requests
    assert request["args"] == {"command": command, "outside_sandbox": True}
    assert "outside the sandbox" in request["description"]
