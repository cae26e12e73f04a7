"""Tool calls that go wrong or reach too far, through the door that a model's calls go through."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from program import PATIENCE, Program
from provider import Provider, Request

TOLD = "Print the lines."
MEASURE = """
import resource, subprocess, sys
code = subprocess.run([sys.executable, *sys.argv[1:]]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000, file=sys.stderr)
sys.exit(code)
"""
SECRET = "KEY=the-secret-value"
Reply = Mapping[str, Any]


def read(path: str) -> tuple[str, dict[str, Any]]:
    return "read_file", {"path": path}


def write(path: str) -> tuple[str, dict[str, Any]]:
    return "write_file", {"path": path, "content": "overwritten\n"}


def run(command: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "run_command", {"command": command, **more}


OUTSIDE, IGNORED = "is outside the project", "ignore patterns"
REFUSED: dict[str, tuple[tuple[str, dict[str, Any]], str]] = {
    "reading through ..": (read("../outside.txt"), OUTSIDE),
    "reading through a folder and ..": (read("folder/../../outside.txt"), OUTSIDE),
    "reading an absolute path": (read("/etc/hostname"), OUTSIDE),
    "reading through a link": (read("link.txt"), OUTSIDE),
    "reading through a linked folder": (read("linked/outside.txt"), OUTSIDE),
    "writing through ..": (write("../outside.txt"), OUTSIDE),
    "writing an absolute path": (write("/tmp/outside.txt"), OUTSIDE),
    "writing through a link": (write("link.txt"), OUTSIDE),
    "writing through a linked folder": (write("linked/new.txt"), OUTSIDE),
    "searching outside": (("grep", {"pattern": "x", "path": ".."}), OUTSIDE),
    "listing outside": (("list_files", {"path": "linked"}), OUTSIDE),
    "running outside": (run("ls", cwd=".."), OUTSIDE),
    "reading .env": (read(".env"), IGNORED),
    "reading .env by a link": (read("env-link"), IGNORED),
    "writing .env": (write(".env"), IGNORED),
    "searching in .env": (("grep", {"pattern": "KEY", "path": ".env"}), IGNORED),
    "printing .env": (run("cat .env"), "may hold secrets"),
    "printing .env by its path": (run("cat ./folder/../.env"), "may hold secrets"),
    "a binary file": (read("binary"), "is binary"),
    "a folder as a file": (read("folder"), "is a folder"),
    "no such file": (read("missing.txt"), "does not exist"),
    "no such tool": (("no_such_tool", {}), "There is no tool `no_such_tool`"),
    "a wrong argument": (("read_file", {"path": 1}), "`path`: Input should be"),
    "a command that fails": (run("exit 3"), "exit code 3"),
}


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Reply]:
    """The answers to all refused calls, by one process; whatever it left alone is checked too."""
    program = Program(tmp_path_factory.mktemp("calls"), "")
    outside, project = program.project.parent / "outside.txt", program.project
    outside.write_text("outside\n")
    (project / "folder").mkdir()
    (project / ".env").write_text(SECRET)
    (project / "binary").write_bytes(bytes(range(256)) * 8)
    for name, target in (("link.txt", outside), ("linked", ".."), ("env-link", ".env")):
        (project / name).symlink_to(target)
    answered = called(program, [call for call, _ in REFUSED.values()])
    assert (outside.read_text(), (project / ".env").read_text()) == ("outside\n", SECRET)
    assert set(os.listdir(project.parent)) - {"home"} == {"outside.txt", "project"}
    return dict(zip(REFUSED, answered, strict=True))


def called(program: Program, calls: list[tuple[str, dict[str, Any]]]) -> list[Reply]:
    """What `mcode tools call --stdin` answers, with every approval given beforehand."""
    lines = "".join(json.dumps({"tool": tool, "args": args}) + "\n" for tool, args in calls)
    ended = program.run("tools", "call", "--stdin", "--mode", "auto", stdin=lines)
    assert (ended.code, ended.stderr) == (0, "")
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_or_overreaching_call_is_refused_with_message(
    case: str, replies: Mapping[str, Reply]
) -> None:
    reply, (_, message) = replies[case], REFUSED[case]
    assert (reply["ok"], message in reply["error"]) == (False, True), reply
    assert SECRET not in json.dumps(reply)
    assert "Traceback" not in reply["error"] and "internal error" not in reply["error"]


def test_what_is_listed_and_searched_leaves_secrets_out(program: Program) -> None:
    (program.project / ".env").write_text(SECRET)
    searches = [("grep", {"pattern": "secret"}), ("list_files", {}), ("glob", {"pattern": "**/*"})]
    for reply in called(program, searches):
        assert (reply["ok"], ".env" in reply["output"], SECRET in reply["output"]) == (
            True,
            False,
            False,
        )


FRENCH = "Le café était déjà fermé, à côté de l'hôtel où l'été se préparait.\r\n"


def test_text_in_other_encoding_keeps_its_bytes(program: Program) -> None:
    latin = program.project / "latin.txt"
    before = (FRENCH * 3).encode("cp1252")
    latin.write_bytes(before + b"old\r\n")
    change = {"file_path": "latin.txt", "old_string": "old", "new_string": "na\u00efve"}
    output, edited = called(program, [read("latin.txt"), ("edit", change)])
    assert (output["ok"], "caf\u00e9" in output["output"], edited["ok"]) == (True, True, True), (
        output
    )
    assert latin.read_bytes() == before + b"na\xefve\r\n"


def test_uncertain_text_is_shown_as_bytes(program: Program) -> None:
    latin = program.project / "latin.txt"
    latin.write_bytes(b"caf\xe9\r\nold\r\n")
    changes = [
        ("edit", {"file_path": "latin.txt", "old_string": "old", "new_string": new})
        for new in ("na\u00efve", "new")
    ]
    output, refused, edited = called(program, [read("latin.txt"), *changes])
    assert (output["ok"], "caf\\xe9" in output["output"]) == (True, True)
    assert (refused["ok"], edited["ok"]) == (False, True)
    assert latin.read_bytes() == b"caf\xe9\r\nnew\r\n"


def command_lines() -> Iterator[bytes]:
    """Of all processes; a zombie, which only waits for init to look at it, has none."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (process / "cmdline").read_bytes()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_command_ignoring_sigterm_ends_with_its_children(program: Program) -> None:
    mark = str(1_000_000 + os.getpid())
    stubborn = f"trap '' TERM; sleep {mark} & echo began > file; while :; do wait; done"
    # the first command has the supervisor and the sandbox ready, so that the second one can begin
    _, reply = called(program, [run("true"), run(stubborn, timeout=3)])
    assert (reply["metadata"]["timed_out"], reply["ok"]) == (True, False)
    assert reply["error"].startswith("stopped after 3 seconds")
    assert program.lines("file") == ["began"]
    assert [line for line in command_lines() if mark.encode() in line] == []


def test_command_printing_200_mb_takes_little_memory(program: Program, provider: Provider) -> None:
    def answer(request: Request) -> dict[str, Any]:
        last = str(request.body["messages"][-1]["content"])
        if match := re.search(r'command_output\(id="(\w+)"\)', last):
            where = {"id": match[1], "start_line": 1_000_000, "end_line": 1_000_001}
            return {"tool_calls": [{"name": "command_output", "args": where}]}
        if "line 000999999 of many" in last:
            return {"text": "It was all there."}
        name, args = run("seq -f 'line %09.0f of many' 0 8999999")  # 22 bytes a line
        return {"tool_calls": [{"name": name, "args": args}]} if TOLD in last else {"text": "SMALL"}

    provider.script(answer)
    task = ["task", TOLD, "-m", "openai/served", "--base-url", provider.url, "--mode", "auto"]
    ended = subprocess.run(
        [sys.executable, "-c", MEASURE, "-m", "maxagent", *task, "--apply", "--skip-tests"],
        cwd=program.project,
        env=program.environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    *_, megabytes = ended.stderr.splitlines()
    assert (ended.returncode, ended.stdout) == (0, "It was all there.\n"), ended.stderr
    assert int(megabytes) < 200
    total = sum(path.stat().st_size for path in program.home.rglob("*") if path.is_file())
    assert total < 60_000_000
    assert len(ended.stderr) < 200_000
    assert len(provider.requests[-1].raw) < 200_000
