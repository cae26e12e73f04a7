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
        total = sum(message["role"] == "assistant" for message in messages)
        return TURNS[role_of(messages)][total]

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
def played_story(story: Story) -> Story:
    story.play()
    return story


def test_undo_and_redo(played_story: Story) -> None:
    output = played_story.done("undo", "--yes")
    assert played_story.files() == played_story.trees[0]
    assert flat(output.stderr).startswith("Undo in thread")
    assert "restore a.txt recreate b.txt delete c.txt delete link delete raw" in flat(output.stderr)
    assert "done, files restored" in played_story.done("threads", "list").stdout
    assert played_story.done("diff").stdout == ""
    played_story.done("redo", "--yes")
    assert played_story.files() == played_story.trees[-1]
    assert "has nothing to undo" not in played_story.done("undo", "--yes").stderr
    assert "has nothing to undo" in played_story.done("undo", "--yes").stderr
    assert played_story.files() == played_story.trees[0]


def test_files_go_to_any_step_and_back(played_story: Story) -> None:
    for step in (5, 4, 3, 2, 1, 0, 3, 6, 2):
        played_story.done("rewind", "--to", str(step), "--files", "--yes")
        assert played_story.files() == played_story.trees[step], step
    played_story.done("redo", "--yes")
    assert played_story.files() == played_story.trees[6]


def test_what_the_user_did_in_between_stays(played_story: Story) -> None:
    project = played_story.program.project
    (project / "mine.txt").write_text("mine\n")
    text = (project / "a.txt").read_text()
    (project / "a.txt").write_text(text.replace("four", "FOUR"))
    (project / "raw.bin").write_bytes(b"mine")
    result = played_story.run("rewind", "--to", "2", "--files", "--yes")
    assert result.code == 1
    assert "merge a.txt" in flat(result.stderr) and "skip raw.bin: " in flat(result.stderr)
    expected = played_story.trees[2] | {
        "mine.txt": ("100644", b"mine\n"),
        "a.txt": ("100644", FIRST.replace("four", "FOUR").encode()),
        "raw.bin": ("100644", b"mine"),
    }
    assert played_story.files() == expected
    played_story.done("rewind", "--to", "2", "--files", "--yes", "--force")
    del expected["raw.bin"]
    assert played_story.files() == expected


def test_task_continues_from_rewound_conversation(played_story: Story) -> None:
    output = played_story.done("rewind", "--to", "3", "--yes", "--json")
    assert json.loads(output.stdout) | {"thread_id": ""} == {
        "thread_id": "",
        "kind": "rewind",
        "step": 3,
        "talk": True,
        "files": ["a.txt", "c.txt", "raw.bin", "sub/new.txt"],
        "merged": [],
        "conflicts": [],
    }
    assert played_story.files() == played_story.trees[3]
    before = len(played_story.provider.requests)
    ended = played_story.program.resume(played_story.thread)
    assert (ended.code, ended.outcome) == (0, "verified")
    assert played_story.files() == played_story.trees[-1]
    again = played_story.provider.requests[before]
    assert again.raw == played_story.provider.requests[3].raw
    assert len(played_story.provider.requests) == before + 3


def test_rewind_can_be_undone_as_a_whole(played_story: Story) -> None:
    played_story.done("rewind", "--to", "1", "--yes")
    output = played_story.done("rewind")
    assert "steps 2 to 6 were abandoned by a rewind" in output.stderr
    assert "steps 2 to 6, abandoned by a rewind" in played_story.done("threads", "tree").stdout
    played_story.done("rewind", "--to", "6", "--yes")
    assert played_story.files() == played_story.trees[6]
    assert played_story.program.resume(played_story.thread).outcome == "verified"
    assert len(played_story.provider.requests) == 6


def test_only_the_conversation_goes_back(played_story: Story) -> None:
    played_story.done("rewind", "--to", "2", "--talk", "--yes")
    assert played_story.files() == played_story.trees[-1]
    steps = json.loads(played_story.done("rewind", "--json").stdout)
    assert [(step["number"], step["role"], step["files"]) for step in steps] == [
        (0, "", []),
        (1, "architect", []),
        (2, "coder", ["sub/new.txt"]),
    ]


def test_a_fork_at_the_beginning_does_something_else(played_story: Story) -> None:
    made = played_story.done(
        "threads", "fork", "--at", "0", "--say", "Other lines.", "--files", "--yes"
    )
    assert played_story.files() == played_story.trees[0]
    before = len(played_story.provider.requests)
    assert played_story.program.resume(made.stdout.strip()).outcome == "verified"
    assert played_story.files() == played_story.trees[-1]
    first = played_story.provider.requests[before].body["messages"][1]
    assert first["content"] == "Other lines."


def test_fork_and_its_parent_both_continue(played_story: Story) -> None:
    fork = played_story.done(
        "threads", "fork", played_story.thread, "--at", "4", "--say", "Hurry."
    ).stdout.strip()
    before = len(played_story.provider.requests)
    assert played_story.program.resume(fork).outcome == "verified"
    events = played_story.provider.requests[before].body["messages"]
    assert [message["content"] for message in events[-1:]] == ["Hurry."]
    played_story.done("rewind", played_story.thread, "--to", "4", "--talk", "--yes")
    assert played_story.program.resume(played_story.thread).outcome == "verified"
    lines = played_story.done("threads", "tree").stdout.splitlines()
    assert lines[0].startswith(played_story.thread[:8])
    assert [line[:11] for line in lines[1:]] == ["├─ steps 5 ", f"└─ {fork[:8]}"]
    assert played_story.files() == played_story.trees[-1]


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


def cut_short(played_story: Story) -> None:
    """Leave what an undo leaves that is killed before it has written anything."""
    history = FileHistory(played_story.program.home / "data" / "threads.db")
    entries = history.list_entries(played_story.thread)
    net: dict[str, PathChange] = {}
    for entry in reversed(entries):
        for change in entry.changes:
            now = net.get(change.path, PathChange(change.path, change.new, change.old)).old
            net[change.path] = PathChange(change.path, now, change.old)
    changes = [change for change in net.values() if change.old != change.new]
    history.begin_entry(
        played_story.thread,
        "undo-0123456789abcdef",
        "undo",
        before=entries[-1].after,
        turn=1,
        changes=changes,
        reverted=[entry.number for entry in entries],
    )


FINISH: dict[str, Callable[[Story], Ended]] = {
    "undo": lambda played_story: played_story.done("undo", "--yes"),
    "resume": lambda played_story: played_story.program.resume(played_story.thread, output="text"),
}


@pytest.mark.parametrize("by", FINISH)
def test_interrupted_undo_is_finished_first(played_story: Story, by: str) -> None:
    cut_short(played_story)
    assert "inished an interrupted restore" in FINISH[by](played_story).stderr
    assert played_story.files() == played_story.trees[0]


def test_without_git_what_tools_wrote_can_be_undone(story: Story, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "bash", "sed", "mv", "ln", "rm", "printf", "chmod", "true", "cat", "env"):
        if result := shutil.which(name):
            (programs / name).symlink_to(os.path.realpath(result))
    story.program.environ["PATH"] = str(programs)
    story.play()
    output = story.done("undo", "--yes")
    assert "restore a.txt" in flat(output.stderr)
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


def test_what_changes_no_conversation_loads_no_langgraph(played_story: Story) -> None:
    program = played_story.program
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


def test_step_is_chosen_from_list_at_terminal(played_story: Story) -> None:
    argv = [sys.executable, "-m", "maxagent", "rewind"]
    with Terminal(argv, played_story.program.project, played_story.program.environ) as terminal:
        terminal.until("Go back to which step?")
        assert "Once more." in terminal.shown and played_story.files() == played_story.trees[6]
        terminal.type("2\n")
        terminal.until("Continue?")
        terminal.until(READY)
        terminal.type(CONFIRM)
        assert terminal.end() == 0
    assert played_story.files() == played_story.trees[2]
    assert "mcode resume" in terminal.shown


def test_nobody_is_there_to_be_asked(played_story: Story) -> None:
    refused = played_story.run("undo")
    assert (refused.code, played_story.files()) == (4, played_story.trees[-1])
    assert "add `--yes`" in refused.stderr


def test_prune_keeps_everything_still_reachable(played_story: Story) -> None:
    played_story.done("undo", "--yes")
    assert "Freed" in played_story.done("threads", "prune").stderr
    played_story.done("redo", "--yes")
    assert played_story.files() == played_story.trees[-1]
    played_story.done("threads", "prune", "--older", "0", "--yes")
    assert played_story.done("threads", "list").stdout == ""
    assert played_story.files() == played_story.trees[-1]


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
