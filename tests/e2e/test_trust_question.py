"""The question of trust at a real terminal."""

import sys

import pytest
from program import Program
from provider import Provider
from terminal import CONFIRM, CTRL_D, READY, Terminal

from maxagent.config.trust.decision import check_trust

MCODE = [sys.executable, "-m", "maxagent"]
TURNS = [{"text": "SMALL"}, {"text": "Done."}, {"text": "Accepted."}]
ASK = "Use them?"


@pytest.fixture
def at_terminal(program: Program, provider: Provider):
    (program.project / ".llc.yaml").write_text("task: {test_command: touch ran}\n")
    (program.project / "AGENTS.md").write_text("x")
    provider.script(TURNS)
    model = ["--model", "openai/served", "--base-url", provider.url]

    def open_terminal(*arguments: str) -> Terminal:
        argv = [*MCODE, *arguments, *(model if arguments[0] != "resume" else [])]
        return Terminal(argv, program.project, program.environ)

    return open_terminal


def test_yes_loads_folder_runs_tests_and_persists(program, provider, at_terminal):
    with at_terminal("task", "x", "--apply") as terminal:
        output = terminal.until(ASK)
        for name in (".llc.yaml", "! runs as the tests: \x1b[0;35mtouch ran", "AGENTS.md", "tests"):
            assert name in output
        terminal.until(READY)
        terminal.type(CONFIRM)
        assert terminal.end() == 0 and "verified" in terminal.shown
    assert (program.project / "ran").exists() and check_trust(program.project, program.home).trusted
    provider.script(TURNS)
    with at_terminal("task", "x", "--apply") as terminal:
        assert terminal.end() == 0 and ASK not in terminal.shown


def test_no_continues_without_folder_and_asks_again(program, provider, at_terminal):
    for _ in range(2):
        provider.script(TURNS)
        with at_terminal("task", "x", "--apply") as terminal:
            terminal.until(ASK)
            terminal.until(READY)
            terminal.type("what\n")  # words are a no
            assert terminal.end() == 0
            assert "unverified" in terminal.shown and "project files are ignored" in terminal.shown
    assert not (program.project / "ran").exists()


@pytest.mark.parametrize("keys", ["\x1b", CTRL_D])
def test_quitting_starts_nothing(program, provider, at_terminal, keys):
    with at_terminal("task", "x") as terminal:
        terminal.until(ASK)
        terminal.until(READY)
        terminal.type(keys)
        assert terminal.end() == 130
        assert "project files are ignored" in " ".join(terminal.shown.split())
    assert provider.requests == [] and not check_trust(program.project, program.home).trusted
    assert "No threads" in program.run("threads", "list").stderr


def test_untrustable_file_is_shown_without_asking(program, at_terminal):
    (program.project / "CLAUDE.md").symlink_to("/etc/passwd")
    with at_terminal("task", "x", "--apply") as terminal:
        assert terminal.end() == 0
        assert "a link to outside" in terminal.shown and ASK not in terminal.shown


def test_resumed_trusted_thread_asks_about_named_change(program, provider, at_terminal):
    ask = {"tool_calls": [{"name": "ask_user", "args": {"question": "Which?"}}]}
    provider.script([TURNS[0], ask, *TURNS[1:]])
    asked = program.task("--apply", "--trust")
    assert asked.code == 4
    (program.project / "AGENTS.md").write_text("changed")
    thread = asked.last["thread_id"]
    with at_terminal("resume", thread, "--answer", "a", "--question", asked.last["id"]) as terminal:
        question = terminal.until(ASK)
        assert "changed since you trusted it: \x1b[0;35mAGENTS.md\x1b[0m changed" in question
        terminal.until(READY)
        terminal.type("n")
        assert terminal.end() == 0 and "unverified" in terminal.shown
    assert not (program.project / "ran").exists()
