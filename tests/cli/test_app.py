import os
import subprocess
import sys

import pytest
from warm_start import LANG, run_mcode


def test_what_the_terminal_cannot_show_is_spelled_out(tmp_path):
    (tmp_path / "好").touch()
    environ = {**os.environ, "PYTHONIOENCODING": "latin-1", "MAXAGENT_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "maxagent", "tools", "call", "list_files", "{}"]
    ended = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert r"\u597d" in ended.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_traceback(tmp_path, closed):
    environ = {**os.environ, "MAXAGENT_HOME": str(tmp_path / "home")}
    for command in ("task x --model scripted//none.json", "threads list"):
        line = f"{sys.executable} -m maxagent {command} {closed}"
        ended = subprocess.run(line, shell=True, cwd=tmp_path, env=environ, capture_output=True)
        assert ended.returncode == (2 if command.startswith("task") else 0), ended.stderr
        assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_command_without_settings_skips_their_schema(flag):
    code = (
        f"import sys; from maxagent.cli.app import main; sys.argv[1:] = [{flag!r}]\n"
        "try: main()\nfinally: print(*sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"pydantic", "ruamel.yaml", "rich"} & set(ended.stdout.split()) == set()


@pytest.mark.parametrize(
    ("arguments", "variable", "is_logged"),
    [
        (["--debug"], "", True),
        ([], "1", True),
        ([], "0", False),
        ([], "off", False),
        ([], "", False),
    ],
)
def test_debug_names_its_log_on_stderr(tmp_path, arguments, variable, is_logged):
    environ = {**os.environ, "MAXAGENT_DEBUG": variable, "MAXAGENT_HOME": str(tmp_path / "home")}
    environ["LC_ALL"] = LANG
    ended = run_mcode([*arguments, "tools", "call", "list_files", "{}"], tmp_path, environ)
    logs = list((tmp_path / "home/data/logs").glob("*"))
    assert ended.returncode == 0
    assert ended.stderr == "".join(f"debug log: `{log}`\n" for log in logs)
    assert bool(logs) == is_logged
    assert all("tool call finished in " in log.read_text() for log in logs)


@pytest.mark.parametrize(
    ("text", "code"), [(["--version"], 0), (["nope"], 2), (["threads", "show", "00000000"], 2)]
)
def test_process_ends_after_threads_and_exit_functions(tmp_path, text, code):
    script = (
        "import atexit, sys, threading; from maxagent.cli.entry import run\n"
        f"sys.argv[1:] = {text!r}\n"
        "atexit.register(print, 'exit function', end='')\n"
        "threading.Thread(target=lambda: (threading.main_thread().join(), print('thread'))).start()"
        "\nrun()"
    )
    environ = {**os.environ, "MAXAGENT_HOME": str(tmp_path / "home")}
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environ, capture_output=True, text=True
    )
    assert ended.returncode == code, ended.stderr
    assert ended.stdout.endswith("thread\nexit function")
