"""The user's own status line, in a real terminal."""

import json
import os
from pathlib import Path
from subprocess import run

import pytest
from chat_window import ChatWindow, in_git
from provider import Provider

from maxagent.config.trust.decision import trust


@pytest.fixture
def window(tmp_path: Path, provider: Provider) -> ChatWindow:
    return ChatWindow(tmp_path, provider, "en")


def configure(window: ChatWindow, command: str) -> None:
    """Have this command for a status line."""
    window.program.home.mkdir(exist_ok=True)
    (window.program.home / "config.yaml").write_text(f"ui:\n  status_line: {json.dumps(command)}\n")


def test_first_line_stands_and_input_tells_thread(window: ChatWindow, tmp_path: Path) -> None:
    received = tmp_path / "received"
    count = f"$(grep -c 'input.: [1-9]' {received})"
    command = f"cat > {received}; printf '\x1b[31m中文  \x1b]0;x\a%s\\n2\\n' {count}"
    configure(window, command)
    window.answers({"text": "Hello."})
    with window.open():
        window.see_status("中文 \\x1b]0;x\\x070 · asks first")
        window.press("shift-tab").see_status("0 · edits allowed")
        window.say("hello", until="Hello.")
        window.see_status("中文 \\x1b]0;x\\x071 · edits allowed")
    fields = json.loads(received.read_text())
    assert fields["thread"] == fields["session_id"] and fields["mode"] == "edits"
    assert fields["folder"] == os.path.realpath(window.project) == fields["cwd"]
    assert fields["model"] == {"id": "openai/served", "display_name": "served"}
    assert fields["tokens"]["input"] > 0 and not fields["plan"]
    assert "used_percentage" in fields["context_window"]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo bad; echo 'no \x1b[2J bat' >&2; exit 3", "exit code 3: no \\x1b[2J bat"),
        ("nosuch-status", "exit code 127"),
        ("echo half; sleep 60", "it was stopped after 2 seconds"),
        ("trap '' TERM; while :; do :; done", "it was stopped after 2 seconds"),
        ("kill -9 $$", "exit code 137: -"),
    ],
)
def test_failure_is_shown_once(window: ChatWindow, command: str, reason: str) -> None:
    configure(window, command)
    window.answers({"text": "Hello."})
    with window.open():
        window.type("typed mean").see("(ui.status_line) is not shown: " + reason)
        window.type("while").terminal.wait_for(lambda _: window.line == "typed meanwhile")
        window.press("enter").see("Hello.")
        window.rest()
        window.see_status("asks first")
        assert window.count("(ui.status_line)") == 1


def test_prompt_never_waits_for_it(window: ChatWindow) -> None:
    configure(window, "sleep 1.9; echo late")
    window.answers({"text": "Hello."})
    with window.open():
        window.say("hello", until="Hello.")
        assert "late" not in window.terminal.screen()
        window.see_status("late · asks first")


def test_untrusted_folder_runs_none(window: ChatWindow) -> None:
    in_git(window.project)
    run(["git", "config", "core.fsmonitor", "./watch.sh"], cwd=window.project, check=True)
    configure(window, "echo mine")
    with window.open().terminal:
        window.asked(window.words("trust.ask"))
        window.type("n").see("(ui.status_line) is not shown: the folder is not trusted")
        window.see_status("asks first")
    with window.open().terminal:
        window.asked(window.words("trust.ask"))
        window.confirm().see_status("mine · asks first")


def test_project_cannot_have_one(window: ChatWindow) -> None:
    (window.project / ".llc.yaml").write_text("ui:\n  status_line: echo foreign\n")
    trust(window.project, window.program.home)
    with window.open().terminal:
        window.see("`ui` can be set in your own configuration only")
