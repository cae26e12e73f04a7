import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, sys
from maxagent.tools.process.own_memory import close_memory
if sys.argv[1] == "closed":
    close_memory()
print("ready", flush=True)
sys.stdin.read()
"""
READER = "open('/proc/{pid}/environ', 'rb').read()"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
@pytest.mark.skipif(os.getuid() == 0, reason="root reads every process")
@pytest.mark.parametrize("state", ["open", "closed"])
def test_other_programs_cannot_read_the_environment(state: str) -> None:
    argv = [sys.executable, "-c", PROGRAM, state]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout and program.stdout.readline() == b"ready\n"
        read = [sys.executable, "-c", READER.format(pid=program.pid)]
        ended = subprocess.run(read, capture_output=True, check=False)
        program.communicate()
    assert (ended.returncode == 0) == (state == "open"), ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_process_is_not_dumpable_afterwards() -> None:
    program = PROGRAM.replace("sys.stdin.read()", "print(os.stat('/proc/self').st_uid)")
    ask = "import ctypes; print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    for state, dumpable in (("open", "1"), ("closed", "0")):
        argv = [sys.executable, "-c", f"{program}\n{ask}", state]
        stdout = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        assert stdout.splitlines()[-1] == dumpable
