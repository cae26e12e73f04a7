"""A booby-trapped repository is opened by every command, and nothing of it happens before a yes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from confinement import SURROUNDINGS
from program import MODE, Ended
from provider import Provider
from strace_program import command, connections, executed_in, finished, why_not
from studio import free_port, printed_address
from traps import CANARY, Traps

from maxagent import trust
from maxagent.config.trust.decision import check_trust

SCRIPT = Path(sys.executable).with_name("mcode")
MCODE = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-P", "-m", "maxagent"]
UNTRUSTED = "the folder is not trusted, so its tests were not run; `mcode trust` lets them run"
READS = [
    {"tool": "git_status"},
    {"tool": "git_diff"},
    {"tool": "git_log"},
    {"tool": "git_branch"},
    {"tool": "list_files", "args": {"path": ".", "recursive": True}},
    {"tool": "glob", "args": {"pattern": "**/*.py"}},
    {"tool": "grep", "args": {"pattern": "one"}},
    {"tool": "read_file", "args": {"path": "src/b.py"}},
    {"tool": "read_file", "args": {"path": "a.txt"}},
]
COMMANDS = ["git status", "git diff", "git log -p -1", "git show", "cd lib && git status", "ls -la"]
ASKS = {"name": "ask_user", "args": {"question": "Which?"}}
EDITS = {"name": "edit", "args": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}}


def calls(*names: dict[str, Any]) -> dict[str, Any]:
    return {"tool_calls": [{"args": {}, **call, "name": call["tool"]} for call in names]}


@dataclass
class Opened:
    """What every command in the trapped repository came to."""

    folder: Path
    provider: Provider
    traps: Traps
    ended: dict[str, Ended] = field(default_factory=dict)
    logs: dict[str, str] = field(default_factory=dict)

    @property
    def environ(self) -> dict[str, str]:
        """A careless user's: the current folder is on the path, at both ends."""
        return {
            "PATH": f".:{os.environ['PATH']}:",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "MAXAGENT_HOME": str(self.folder / "home"),
            "OPENAI_API_KEY": "sk-a-key-of-the-user",
            "LLC_TASK__REPAIR_ROUNDS": "0",
            **SURROUNDINGS,
        }

    def run(self, *arguments: str, stdin: str = "") -> Ended:
        name = " ".join(arguments[:2])
        process = self._start(name, arguments)
        stdout, stderr = process.communicate(stdin, timeout=100)
        self._keep_log(name, process)
        self.ended[name] = Ended(process.returncode, stdout, stderr)
        return self.ended[name]

    def serve(self) -> None:
        port = free_port()
        process = self._start("studio", ["studio", "--port", str(port)])
        printed_address(process, port)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self._keep_log("studio", process)
        # its own port: it asks itself whether it is there
        self.logs["studio"] = self.logs["studio"].replace(f"htons({port})", "htons(0)")

    def _start(self, name: str, arguments: Any) -> "subprocess.Popen[str]":
        argv = [*MCODE, *arguments]
        return subprocess.Popen(
            argv if why_not() else command(self._log(name), argv),
            cwd=self.traps.project,
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _log(self, name: str) -> Path:
        return self.folder / f"{name.replace(' ', '-').replace('/', '_')}.log"

    def _keep_log(self, name: str, process: "subprocess.Popen[str]") -> None:
        if not why_not():
            self.logs[name] = finished(self._log(name), process.pid)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """Every command, in turn; the thread that they speak of is the one of the task."""
    folder = tmp_path_factory.mktemp("untrusted")
    with Provider() as provider:
        location = Opened(folder, provider, Traps(folder, free_port()))
        _look(location)
        _work(location)
        _look_back(location)
        if find_spec("langgraph_api"):
            location.serve()
        yield location


def _look(location: Opened) -> None:
    shell = [{"tool": "run_command", "args": {"command": line}} for line in COMMANDS]
    lines = "".join(json.dumps(call) + "\n" for call in (*READS, *shell))
    location.run("tools", "call", "--stdin", stdin=lines)
    location.run("tools", "list")
    location.run("doctor")
    location.run("config", "show", "--show-origin")
    location.run("config", "get", "security.mode")
    location.run("permissions", "list")
    location.run("permissions", "explain", "run_command", "touch x")
    location.run("trust", "--list", "--json")
    location.run("trust")


def _work(location: Opened) -> None:
    model = ["--model", "openai/served", "--base-url", location.provider.url]
    done = {"text": "Done."}
    coder = [calls(*READS), {"tool_calls": [EDITS]}, {"tool_calls": [ASKS]}, done]
    location.provider.script([{"text": "SMALL"}, *coder, {"text": "Accepted."}])
    asked = location.run("task", "Do it", *model, "--apply", "--output", "stream-json")
    thread = asked.events[0]["thread_id"]
    location.run("resume", thread, "--answer", "a", "--output", "stream-json")
    change = {**EDITS, "args": {**EDITS["args"], "old_string": "two", "new_string": "three"}}
    location.provider.script([calls(READS[-1]), {"tool_calls": [change]}, done])
    location.run("edit", "a.txt", "Say three", *model, "--apply", "--output", "stream-json")


def _look_back(location: Opened) -> None:
    thread = json.loads(location.ended["task Do it"].stdout.splitlines()[0])["thread_id"]
    location.run("threads", "list")
    location.run("threads", "show", thread)
    location.run("threads", "tree")
    location.run("threads", "changes", thread)
    location.run("diff")
    location.run("undo", "--yes")
    location.run("redo", "--yes")
    location.run("rewind", thread)
    location.run("threads", "fork", thread, "--at", "0", "--say", "Again")
    location.run("threads", "prune", "--yes")


def test_the_commands_did_what_they_are_for(opened: Opened) -> None:
    codes = {name: ended.code for name, ended in opened.ended.items() if ended.code}
    assert codes == {"trust": 4, "task Do it": 4}
    replies = [json.loads(line) for line in opened.ended["tools call"].stdout.splitlines()]
    assert [reply["ok"] for reply in replies[: len(READS)]] == [True] * len(READS)
    assert (opened.traps.project / "a.txt").read_text() == "three\n"


def test_no_trap_was_sprung(opened: Opened) -> None:
    assert len(opened.traps.names) > 60
    assert opened.traps.sprung() == set()


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_nothing_of_the_folder_was_executed(opened: Opened) -> None:
    result = {name: executed_in(opened.traps.project, log) for name, log in opened.logs.items()}
    assert result == {name: [] for name in opened.logs}
    assert all("execve(" in log for log in opened.logs.values())


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_only_the_users_own_endpoint_was_connected(opened: Opened) -> None:
    own = {0, int(opened.provider.url.rpartition(":")[2].partition("/")[0])}
    result = {name: connections(log, own) for name, log in opened.logs.items()}
    assert result == {name: [] for name in opened.logs}


def test_model_got_nothing_from_untrusted_folder(opened: Opened) -> None:
    text = b"".join(request.raw for request in opened.provider.requests)
    assert b"one" in text and CANARY.encode() not in text


def test_nothing_of_the_folder_is_a_setting(opened: Opened) -> None:
    assert str(opened.traps.project) not in opened.ended["config show"].stdout
    assert "`.llc.yaml` is not loaded" in opened.ended["config show"].stderr
    assert opened.ended["config get"].stdout == "null\n"
    assert json.loads(opened.ended["trust --list"].stdout) == []


def test_the_task_ends_unverified_and_says_why(opened: Opened) -> None:
    ended = opened.ended[next(name for name in opened.ended if name.startswith("resume"))]
    assert ended.outcome == "unverified"
    assert ended.last["evidence"]["reason"] == UNTRUSTED
    assert not ended.told("verifying")


def test_stderr_lists_ignored_files_once_with_trust_hint(opened: Opened) -> None:
    stderr = opened.ended["task Do it"].stderr
    assert stderr.count("is not trusted") == 1
    for text in ("`.llc.yaml` (configuration)", "`.mcp.json`", "(mcp)", "tests", "--trust"):
        assert text in stderr


def test_trust_question_names_kinds_and_far_reaching_settings(opened: Opened) -> None:
    stderr = opened.ended["trust"].stderr
    reaching = ("! sandbox.mode: ", "! runs as the tests: ", "! after each edit (after_edit.*): ")
    files = (".mcp.json", ".claude/skills/a/run.sh", ".opencode/commands/task.md", "AGENTS.md")
    for name in (*reaching, *files, ".agents/agents/coder.md", ".llc/hooks/start", "tests: "):
        assert name in stderr
    assert "sk-a-key-of-the-user" not in stderr


def test_trusted_configuration_applies_and_tests_run(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / ".llc.yaml").write_text("task: {test_command: touch tested}\n")
    (tmp_path / "s.json").write_text('[{"text": "SMALL"}, {"text": "Accepted."}]')
    environ = {**os.environ, "MAXAGENT_HOME": str(tmp_path / "home")}
    model = ["--model", f"scripted/{tmp_path / 's.json'}"]
    argv = [*MCODE, "task", "x", *model, *MODE, "--apply", "--trust", "--output", "stream-json"]
    done = subprocess.run(argv, cwd=project, env=environ, capture_output=True, text=True)
    ended = Ended(done.returncode, done.stdout, done.stderr)
    assert (ended.code, ended.outcome, (project / "tested").exists()) == (0, "verified", True)
    assert any("the tests are `touch tested`" in notice["text"] for notice in ended.told("notice"))
    names = [*MCODE, "trust", "--list", "--json"]
    result = subprocess.run(names, cwd=project, env=environ, capture_output=True, text=True)
    assert [item["folder"] for item in json.loads(result.stdout)] == [str(project)]


def test_the_traps_do_work(tmp_path: Path) -> None:
    traps = Traps(tmp_path, 1)
    trust(traps.project, tmp_path / "home")
    assert {"src/AGENTS.md", "src/rules.txt"} <= {
        *check_trust(traps.project, tmp_path / "home").further
    }
    subprocess.run(["git", "status"], cwd=traps.project, capture_output=True)
    subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=traps.project, capture_output=True)
    subprocess.run(["./rg"], cwd=traps.project)
    assert {"git-core-fsmonitor", "program-rg"} < traps.sprung()
    assert traps.sprung() & {"conftest", "evil", "tests", "module-typing"}
