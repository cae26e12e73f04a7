"""What `--debug` writes of a real task: each boundary, and no contents."""

import re
import stat

from program import Program
from provider import Provider

BOUNDARIES = (
    "database created or migrated: ",
    " acquired: thread ",
    "run started: thread ",
    "model served at 127.0.0.1:",
    "status 200",
    "request finished in ",
    "tool call started: run_command ",
    "tool call finished in ",
    "snapshot taken in ",
    "run ended in ",
    "lease released: thread ",
)
WORDS = ("private words", "a secret plan", "output of the tool")


def test_debug_logs_each_boundary_and_no_contents(program: Program, provider: Provider) -> None:
    command = "echo output of the tool > private_file"
    call = {"name": "run_command", "args": {"command": command}}
    provider.script(
        [
            {"text": "a secret plan: SMALL"},
            {"text": "private words", "tool_calls": [call]},
            {"text": "Done."},
            {"text": "Accepted."},
        ]
    )
    ended = program.task("--mode", "auto", "--apply", MAXAGENT_DEBUG="1")
    (log,) = (program.home / "data/logs").iterdir()
    written = log.read_text()
    assert ended.stderr == f"debug log: `{log}`\n"
    assert [text for text in BOUNDARIES if text not in written] == []
    assert [text for text in (*WORDS, "Write the lines") if text in written] == []
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    line = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO maxagent\.[\w.]+ \S.*")
    assert [text for text in written.splitlines() if not line.fullmatch(text)] == []


def test_failed_request_is_logged_by_its_type(program: Program, provider: Provider) -> None:
    provider.script([{"status": 401, "body": "the words of the provider"}])
    program.task(MAXAGENT_DEBUG="1")
    (log,) = (program.home / "data/logs").iterdir()
    written = log.read_text()
    assert "status 401" in written and "AuthenticationError" in written
    assert "words of the provider" not in written


def test_without_debug_nothing_is_logged(program: Program, provider: Provider) -> None:
    provider.script([{"text": "SMALL"}, {"text": "Done."}, {"text": "Accepted."}])
    ended = program.task("--mode", "auto", "--apply", MAXAGENT_DEBUG="0")
    assert (ended.stderr, (program.home / "data/logs").exists()) == ("", False)
