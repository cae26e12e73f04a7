"""A file system without locks, as NFS without its lock service: told at once, nobody is blamed."""

import subprocess

import pytest
from program import Program
from provider import Provider
from strace_program import why_not
from test_untrusted_folder import MCODE

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "strace")
LOCAL = "set `MAXAGENT_HOME` to a folder on a disk of this machine"
COMMANDS = {
    "chat": ["chat", "hi", "--model", "openai/served"],
    "task": ["task", "Write it.", "--trust", "--model", "openai/served"],
    "trust": ["trust", "--yes"],
    "threads": ["threads", "prune"],
    "doctor": ["doctor"],
}


def run_without_locks(program: Program, arguments: list[str], error: str) -> str:
    """Return what a program writes whose every lock is refused."""
    refusing = ["-e", "trace=flock", "-e", f"inject=flock:error={error}"]
    ended = subprocess.run(
        ["strace", "-f", "-qq", "-o", "/dev/null", *refusing, *MCODE, *arguments],
        cwd=program.project,
        env=program.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("error", ["ENOLCK", "EOPNOTSUPP"])
@pytest.mark.parametrize("name", COMMANDS)
def test_refused_lock_is_reported_with_way_out(
    name: str, error: str, program: Program, provider: Provider
) -> None:
    (program.project / "AGENTS.md").write_text("Be kind.\n")
    program.environ["OPENAI_BASE_URL"] = provider.url
    assert LOCAL in run_without_locks(program, COMMANDS[name], error)
    assert provider.requests == []
