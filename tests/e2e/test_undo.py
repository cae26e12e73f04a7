"""A thread's files and its conversation taken back and brought again, by real processes."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from program import Ended, Program
from provider import Answer, Provider, Request
from recorded_project import Tree, tree
from terminal import CONFIRM, READY, Terminal

from maxagent.memory.snapshots.file_version import PathChange
from maxagent.memory.undo.history import FileHistory

FIRST = "one\ntwo\nthree\nfour\nfive\nsix\n"
GOOD = {"LLC_TASK__TEST_COMMAND": "true"}
REQUEST = "Write the lines."


def call(name: str, **args: object) -> Answer:
    return {"name": name, "args": args}


def run(command: str) -> Answer:
    return call("run_command", command=command)


CODER = [
    {"text": "I write.", "tool_calls": [call("write_file", path="sub/new.txt", content="new\n")]},
    {
        "text": "By command.",
        "tool_calls": [run("sed -i s/two/2/ a.txt && mv b.txt c.txt && ln -s a.txt link")],
    },
    {
        "text": "Once more.",
        "tool_calls": [
            call("read_file", path="a.txt"),
            call("edit", file_path="a.txt", old_string="six", new_string="6"),
            run("rm sub/new.txt && printf '\\0\\377' > raw.bin && chmod +x c.txt"),
        ],
    },
    {"text": "Done."},
]
TURNS = {"architect": [{"text": "SMALL: a.txt"}], "coder": CODER, "tester": [{"text": "Accepted."}]}


def flat(text: str) -> str:
    """Without columns and lines."""
    return " ".join(text.split())


def role_of(messages: list[dict[str, Any]]) -> str:
    opening = messages[1]["content"]
    if opening.startswith("The request was"):
        return "tester"
    return "coder" if "(The architect" in opening else "architect"


@dataclass
class Story:
    """A task that has run, with the files as they were after each step."""

    program: Program
    provider: Provider
    trees: list[Tree] = field(default_factory=list)
    thread: str = ""

    def answer(self, request: Request) -> Answer:
        """The next turn of the role that asks."""
        self.trees.append(self.files())
        messages = request.body["messages"]
        said = sum(message["role"] == "assistant" for message in messages)
        return TURNS[role_of(messages)][said]

    def begin(self) -> None:
        self.program.environ |= GOOD
        (self.program.project / "a.txt").write_text(FIRST)
        (self.program.project / "b.txt").write_text("b\n")
        self.provider.script(self.answer)

    def play(self) -> None:
        ended = self.program.task("--mode", "auto", "--apply", "--trust")
        assert (ended.code, ended.outcome) == (0, "verified"), ended
        self.thread = ended.last["thread_id"]
        self.trees.append(self.files())
        assert len(self.trees) == 7

    def run(self, *arguments: str) -> Ended:
        return self.program.run(*arguments)

    def done(self, *arguments: str) -> Ended:
        """Run a command that succeeds."""
        ended = self.run(*arguments)
        assert ended.code == 0, ended
        return ended

    def files(self) -> Tree:
        return tree(self.program.project)


@pytest.fixture
def story(program: Program, provider: Provider) -> Story:
    story = Story(program, provider)
    story.begin()
    return story


@pytest.fixture
def told(story: Story) -> Story:
    story.play()
    return story


def test_undo_and_redo(told: Story) -> None:
    said = told.done("undo", "--yes")
    assert told.files() == told.trees[0]
    assert flat(said.stderr).startswith("Undo in thread")
    assert "restore a.txt recreate b.txt delete c.txt delete link delete raw" in flat(said.stderr)
    assert "done, files restored" in told.done("threads", "list").stdout
    assert told.done("diff").stdout == ""
    told.done("redo", "--yes")
    assert told.files() == told.trees[-1]
    assert "has nothing to undo" not in told.done("undo", "--yes").stderr
    assert "has nothing to undo" in told.done("undo", "--yes").stderr
    assert told.files() == told.trees[0]


def test_files_go_to_any_step_and_back(told: Story) -> None:
    for step in (5, 4, 3, 2, 1, 0, 3, 6, 2):
        told.done("rewind", "--to", str(step), "--files", "--yes")
        assert told.files() == told.trees[step], step
    told.done("redo", "--yes")
    assert told.files() == told.trees[6]


def test_what_the_user_did_in_between_stays(told: Story) -> None:
    project = told.program.project
    (project / "mine.txt").write_text("mine\n")
    text = (project / "a.txt").read_text()
    (project / "a.txt").write_text(text.replace("four", "FOUR"))
    (project / "raw.bin").write_bytes(b"mine")
    said = told.run("rewind", "--to", "2", "--files", "--yes")
    assert said.code == 1
    assert "merge a.txt" in flat(said.stderr) and "skip raw.bin: " in flat(said.stderr)
    expected = told.trees[2] | {
        "mine.txt": ("100644", b"mine\n"),
        "a.txt": ("100644", FIRST.replace("four", "FOUR").encode()),
        "raw.bin": ("100644", b"mine"),
    }
    assert told.files() == expected
    told.done("rewind", "--to", "2", "--files", "--yes", "--force")
    del expected["raw.bin"]
    assert told.files() == expected


def test_task_continues_from_rewound_conversation(told: Story) -> None:
    said = told.done("rewind", "--to", "3", "--yes", "--json")
    assert json.loads(said.stdout) | {"thread_id": ""} == {
        "thread_id": "",
        "kind": "rewind",
        "step": 3,
        "talk": True,
        "files": ["a.txt", "c.txt", "raw.bin", "sub/new.txt"],
        "merged": [],
        "conflicts": [],
    }
    assert told.files() == told.trees[3]
    before = len(told.provider.requests)
    ended = told.program.resume(told.thread)
    assert (ended.code, ended.outcome) == (0, "verified")
    assert told.files() == told.trees[-1]
    again = told.provider.requests[before]
    assert again.raw == told.provider.requests[3].raw
    assert len(told.provider.requests) == before + 3


def test_rewind_can_be_undone_as_a_whole(told: Story) -> None:
    told.done("rewind", "--to", "1", "--yes")
    shown = told.done("rewind")
    assert "steps 2 to 6 were abandoned by a rewind" in shown.stderr
    assert "steps 2 to 6, abandoned by a rewind" in told.done("threads", "tree").stdout
    told.done("rewind", "--to", "6", "--yes")
    assert told.files() == told.trees[6]
    assert told.program.resume(told.thread).outcome == "verified"
    assert len(told.provider.requests) == 6


def test_only_the_conversation_goes_back(told: Story) -> None:
    told.done("rewind", "--to", "2", "--talk", "--yes")
    assert told.files() == told.trees[-1]
    steps = json.loads(told.done("rewind", "--json").stdout)
    assert [(step["number"], step["role"], step["files"]) for step in steps] == [
        (0, "", []),
        (1, "architect", []),
        (2, "coder", ["sub/new.txt"]),
    ]


def test_a_fork_at_the_beginning_does_something_else(told: Story) -> None:
    made = told.done("threads", "fork", "--at", "0", "--say", "Other lines.", "--files", "--yes")
    assert told.files() == told.trees[0]
    before = len(told.provider.requests)
    assert told.program.resume(made.stdout.strip()).outcome == "verified"
    assert told.files() == told.trees[-1]
    first = told.provider.requests[before].body["messages"][1]
    assert first["content"] == "Other lines."


def test_fork_and_its_parent_both_continue(told: Story) -> None:
    fork = told.done("threads", "fork", told.thread, "--at", "4", "--say", "Hurry.").stdout.strip()
    before = len(told.provider.requests)
    assert told.program.resume(fork).outcome == "verified"
    heard = told.provider.requests[before].body["messages"]
    assert [message["content"] for message in heard[-1:]] == ["Hurry."]
    told.done("rewind", told.thread, "--to", "4", "--talk", "--yes")
    assert told.program.resume(told.thread).outcome == "verified"
    lines = told.done("threads", "tree").stdout.splitlines()
    assert lines[0].startswith(told.thread[:8])
    assert [line[:11] for line in lines[1:]] == ["├─ steps 5 ", f"└─ {fork[:8]}"]
    assert told.files() == told.trees[-1]


def test_a_thread_that_runs_is_left_alone(story: Story) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def answer(request: Request) -> Answer:
        if len(story.provider.requests) == 4:
            asked.set()
            assert go_on.wait(60)
        return story.answer(request)

    story.provider.script(answer)
    process = story.program.start("task", REQUEST, "--mode", "auto", "--apply", "--trust")
    assert asked.wait(60)
    try:
        for command in (["undo"], ["redo"], ["rewind", "--to", "1"]):
            refused = story.run(*command, "--yes")
            assert refused.code == 1
            assert f"is in use by process {process.pid}" in refused.stderr
        assert "+new" in story.done("diff").stdout
        assert story.done("threads", "fork", "--at", "2").stdout
    finally:
        go_on.set()
    assert story.program.end(process).outcome == "verified"


def cut_short(told: Story) -> None:
    """Leave what an undo leaves that is killed before it has written anything."""
    history = FileHistory(told.program.home / "data" / "threads.db")
    entries = history.list_entries(told.thread)
    net: dict[str, PathChange] = {}
    for entry in reversed(entries):
        for change in entry.changes:
            now = net.get(change.path, PathChange(change.path, change.new, change.old)).old
            net[change.path] = PathChange(change.path, now, change.old)
    changes = [change for change in net.values() if change.old != change.new]
    history.begin_entry(
        told.thread,
        "undo-0123456789abcdef",
        "undo",
        before=entries[-1].after,
        turn=1,
        changes=changes,
        reverted=[entry.number for entry in entries],
    )


FINISH: dict[str, Callable[[Story], Ended]] = {
    "undo": lambda told: told.done("undo", "--yes"),
    "resume": lambda told: told.program.resume(told.thread, output="text"),
}


@pytest.mark.parametrize("by", FINISH)
def test_interrupted_undo_is_finished_first(told: Story, by: str) -> None:
    cut_short(told)
    assert "inished an interrupted restore" in FINISH[by](told).stderr
    assert told.files() == told.trees[0]


def test_without_git_what_tools_wrote_can_be_undone(story: Story, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "bash", "sed", "mv", "ln", "rm", "printf", "chmod", "true", "cat", "env"):
        if found := shutil.which(name):
            (programs / name).symlink_to(os.path.realpath(found))
    story.program.environ["PATH"] = str(programs)
    story.play()
    said = story.done("undo", "--yes")
    assert "restore a.txt" in flat(said.stderr)
    assert (story.program.project / "a.txt").read_text() == FIRST.replace("two", "2")
    story.done("redo", "--yes")
    assert story.files() == story.trees[-1]


LIGHT = """undo --yes|redo --yes|rewind|rewind --to 2 --files --yes|diff|diff --from 1 --to 3|
threads list --size|threads tree|threads changes|threads fork --at 2|threads prune"""


ONE_BY_ONE = """
import os, sys
from maxagent.cli.app import main
for command in sys.argv[1].split("|"):
    child = os.fork()
    if not child:
        sys.argv[1:] = command.split()
        try:
            main()
        except SystemExit as ended:
            heavy = {"langgraph", "langchain_core", "openai", "mcp"} & {*sys.modules}
            print(command, heavy, file=sys.stderr)
            sys.stderr.flush()
            os._exit(bool(ended.code or heavy))
        os._exit(2)
    if os.waitpid(child, 0)[1]:
        sys.exit(command)
"""


def test_what_changes_no_conversation_loads_no_langgraph(told: Story) -> None:
    program = told.program
    ended = subprocess.run(
        [sys.executable, "-P", "-c", ONE_BY_ONE, LIGHT.replace("\n", "")],
        cwd=program.project,
        env=program.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("set()") == LIGHT.count("|") + 1


def test_step_is_chosen_from_list_at_terminal(told: Story) -> None:
    argv = [sys.executable, "-m", "maxagent", "rewind"]
    with Terminal(argv, told.program.project, told.program.environ) as terminal:
        terminal.until("Go back to which step?")
        assert "Once more." in terminal.shown and told.files() == told.trees[6]
        terminal.type("2\n")
        terminal.until("Continue?")
        terminal.until(READY)
        terminal.type(CONFIRM)
        assert terminal.end() == 0
    assert told.files() == told.trees[2]
    assert "mcode resume" in terminal.shown


def test_nobody_is_there_to_be_asked(told: Story) -> None:
    refused = told.run("undo")
    assert (refused.code, told.files()) == (4, told.trees[-1])
    assert "add `--yes`" in refused.stderr


def test_prune_keeps_everything_still_reachable(told: Story) -> None:
    told.done("undo", "--yes")
    assert "Freed" in told.done("threads", "prune").stderr
    told.done("redo", "--yes")
    assert told.files() == told.trees[-1]
    told.done("threads", "prune", "--older", "0", "--yes")
    assert told.done("threads", "list").stdout == ""
    assert told.files() == told.trees[-1]


NAMES = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
PERSON = "export " + " ".join(f"{name}=a@b.c" for name in NAMES)


def shell(folder: Path, line: str) -> None:
    subprocess.run(["sh", "-ec", f"{PERSON}; {line}"], cwd=folder, check=True)


HUMAN_USES = {
    "stash": ("git stash -q -u", "git stash pop -q", {"old.txt": "mine\n", "new.txt": "new\n"}),
    "checkout": ("git stash -q -u; git checkout -q other", ":", {"old.txt": "other\n"}),
    "reset": ("git reset -q --hard", ":", {"old.txt": "old\n"}),
}


@pytest.mark.parametrize("use", HUMAN_USES)
def test_undo_leaves_what_a_human_did_with_git(
    use: str, program: Program, provider: Provider
) -> None:
    line, then, expected = HUMAN_USES[use]
    shell(
        program.project,
        "git init -q -b main; echo x > made.txt; echo old > old.txt; git add .; git commit -qm one;"
        "git checkout -q -b other; echo other > old.txt; git commit -qam two; git checkout -q main;"
        "echo mine > old.txt; echo new > new.txt",
    )
    # as if a human did it in another shell while the command runs
    script = program.project.parent / "work.sh"
    script.write_text(f"{PERSON}\n{line}\n")
    run = {"name": "run_command", "args": {"command": f"cat a.txt; sh {script}; echo y > made.txt"}}
    provider.script([{"tool_calls": [run]}, {"text": "Done."}])
    ended = program.chat("go", "--mode", "auto", "--trust", MAXAGENT_SANDBOX__MODE="off")
    assert ended.code == 0, ended.stdout
    undone = program.run("undo", "--yes")
    assert undone.code in (0, 1), undone.stderr
    shell(program.project, then)
    actual = {name: (program.project / name).read_text() for name in expected}
    assert (actual, (program.project / "made.txt").read_text()) == (expected, "x\n"), undone.stderr
