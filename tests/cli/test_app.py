import os
import subprocess
import sys


def test_what_the_terminal_cannot_show_is_spelled_out(tmp_path):
    (tmp_path / "好").touch()
    environ = {**os.environ, "PYTHONIOENCODING": "latin-1", "MAXAGENT_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "maxagent", "tools", "call", "list_files", "{}"]
    ended = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert r"\u597d" in ended.stdout
