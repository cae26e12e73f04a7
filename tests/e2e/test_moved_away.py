"""A file that is moved to `/tmp`: the model is asked, and undo brings it back; the user is not."""

import json
import tempfile
from pathlib import Path

import pytest
from chat_window import ChatWindow
from confinement import ASKING, FOUND
from program import Program
from provider import Provider

MODES = {
    "edits": {ASKING: "run"},
    "edits without sandbox": {ASKING: "run", "MAXAGENT_SANDBOX__MODE": "off"},
    "auto": {},
}


@pytest.mark.parametrize("case", MODES)
def test_move_by_model_is_asked_and_undone(case: str, tmp_path: Path, provider: Provider) -> None:
    script = tmp_path / "turns.json"
    with tempfile.TemporaryDirectory(dir="/tmp") as away:
        call = {"name": "run_command", "args": {"command": f"mv precious {away}"}}
        if FOUND.is_on and "without" not in case:
            call["args"]["command"] = "mv precious /tmp"
        script.write_text(json.dumps([{"tool_calls": [call]}, {"text": "Moved."}]))
        program = Program(
            tmp_path, provider.url, {"LLC_MODEL": f"scripted/{script}", **MODES[case]}
        )
        precious = program.project / "precious"
        precious.write_text("kept\n")
        asked = program.run(
            "chat", "Move it.", "--trust", "--output", "json", "--mode", case.split()[0]
        ).last
        assert (asked["type"], precious.exists()) == ("question", True), asked
        assert "out of the project" in json.dumps(asked)
        done = program.run("resume", asked["thread_id"], "--approve", "--question", asked["id"])
        assert (done.stdout, precious.exists()) == ("Moved.\n", False), done.stderr
        undone = program.run("undo", asked["thread_id"], "--yes")
        assert precious.read_text() == "kept\n", undone.stderr


def test_move_by_user_leaves_file_in_tmp(tmp_path: Path, provider: Provider) -> None:
    window = ChatWindow(tmp_path, provider, "en", OWN_WORD="chocolate")
    (window.project / "precious").write_text("kept\n")
    (window.program.home).mkdir()
    trusted = window.program.run("trust", "--yes")
    assert trusted.code == 0, trusted.stderr
    with tempfile.TemporaryDirectory(dir="/tmp") as away, window.open():
        window.type(f"!mv precious {away}; echo $OWN_WORD")
        window.see(window.words("status.line.shell"))
        window.press("enter").see("chocolate")
        window.rest()
        assert (Path(away) / "precious").read_text() == "kept\n"
        window.type("!!sleep").see(window.words("status.line.sandboxed"))
        window.press("ctrl-c").holds("")
        window.type("!echo go$((6*7)); sleep 1000").press("enter").see("go42")
        window.press("ctrl-c").see(window.words("repl.interrupted"))
        window.say("/help", until="!!command")
