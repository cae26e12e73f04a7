"""A key goes every way that words can go; afterwards no byte that is kept or shown has it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import Answer
from program import KEY, Ended, Program
from provider import Provider

TOKEN = "ghp_" + "a1B2" * 9
OWN = "Kz-of-the-settings-7"
PARTS = (KEY[:12], KEY[12:])
GOOD = {"LLC_TASK__TEST_COMMAND": f"echo {KEY}; test -s log.txt # {TOKEN}"}


def call(name: str, **args: object) -> Answer:
    return {"name": name, "args": args}


def answers() -> list[Answer]:
    """A task whose tools meet the key in files, outputs, errors and names."""
    looks = [
        call("read_file", path="config.txt"),
        call("grep", regex="key"),
        call("git_diff"),
        call("list_files"),
        call("read_file", path="gone.txt"),
    ]
    split = f"printf {PARTS[0]}; sleep 0.2; printf {PARTS[1]}; cat config.txt"
    works = [
        call("run_command", command=split),
        call("run_command", command="for i in $(seq 500); do cat config.txt; done; exit 3"),
        call("edit", file_path="config.txt", old_string="first", new_string="1st"),
        call("run_command", command="cp config.txt log.txt; base64 -w0 config.txt"),
        call("edit", file_path="config.txt", old_string="no such line", new_string="x"),
    ]
    return [
        {"tool_calls": looks},
        {"text": "SMALL"},
        {"text": "Working.", "tool_calls": works},
        {"text": "Done."},
        {"text": "Accepted."},
    ]


@pytest.fixture
def keyed(program: Program) -> Iterator[Program]:
    """A project with the key in a file, a home with another in the settings."""
    (program.project / "config.txt").write_text(f"first\nkey={KEY}\nown={OWN}\ntoken {TOKEN}\n")
    program.home.mkdir()
    program.environ["MAXAGENT_DEBUG"] = "1"  # the log is kept, too
    (program.home / "config.yaml").write_text(f"litellm:\n  api_key: {OWN}\n")
    yield program


def kept(program: Program) -> list[Path]:
    """The files of the home that have one of them; snapshots and settings are the user's own."""
    own = (program.home / "config.yaml", program.home / "data" / "snapshots")
    result = {file for secret in (KEY, OWN, TOKEN) for file in program.files_with(secret)}
    return sorted(
        file for file in result if not any(file.is_relative_to(location) for location in own)
    )


def clean(ended: Ended) -> Ended:
    stdout = ended.stdout + ended.stderr
    assert [secret for secret in (KEY, OWN, TOKEN) if secret in stdout] == []
    return ended


@pytest.mark.parametrize("output", ["text", "stream-json"])
def test_after_a_task_the_key_is_nowhere(output: str, keyed: Program, provider: Provider) -> None:
    provider.script(answers())
    ended = clean(keyed.task("--mode", "auto", "--apply", "--trust", output=output, **GOOD))
    assert ended.code == 0
    assert kept(keyed) == []
    assert TOKEN in (keyed.project / "log.txt").read_text()
    for request in provider.requests:
        text = json.dumps(request.body)
        assert [secret for secret in (KEY, OWN, TOKEN) if secret in text] == []
    assert "[secret: OPENAI_API_KEY]" in json.dumps(provider.requests[1].body)
    thread = json.loads(clean(keyed.run("threads", "list", "--json")).stdout)[0]["thread_id"]
    for arguments in (["threads", "show", thread], ["rewind", thread], ["undo", thread, "--yes"]):
        clean(keyed.run(*arguments))
    assert kept(keyed) == []


def test_key_in_request_is_hidden_and_reported(keyed: Program, provider: Provider) -> None:
    provider.script([{"text": "SMALL"}, {"text": "Done."}, {"text": "Accepted."}])
    asked = f"Use {KEY} and {TOKEN}"
    ended = clean(keyed.end(keyed.start("task", asked, "--mode", "auto", "--apply")))
    assert "the model reads [secret: GitHub token], [secret: OPENAI_API_KEY]" in ended.stdout
    assert "Use [secret: OPENAI_API_KEY]" in ended.told("run_started")[0]["title"]
    assert kept(keyed) == []


def test_provider_error_repeating_the_key_is_not_quoted(keyed: Program, provider: Provider) -> None:
    bodies: list[Answer] = [
        {"status": 401, "body": {"error": {"message": f"wrong key {KEY}, {OWN}, {TOKEN}"}}},
        {"status": 500, "body": f"Authorization: Bearer {OWN}"},
        {"sse": [f'data: {{"error": {{"message": "Bearer {KEY} {TOKEN}"}}}}', ""]},
    ]
    for body, output in zip(bodies, ("text", "json", "stream-json"), strict=True):
        provider.script([body] * 9)
        ended = clean(keyed.task(output=output, LLC_MODEL__MAX_RETRIES="0"))
        assert ended.code == 1
    assert kept(keyed) == []


def test_parked_question_stores_no_key_from_file(keyed: Program, provider: Provider) -> None:
    edit = call("edit", file_path="config.txt", old_string="first", new_string="1st")
    read = call("read_file", path="config.txt")
    provider.script([{"text": "SMALL"}, {"tool_calls": [read, edit]}])
    parked = clean(keyed.task("--mode", "ask", "--trust"))
    assert parked.code == 4 and "[secret: " in parked.last["action_requests"][0]["diff"]
    assert kept(keyed) == []


def test_traceback_of_internal_error_has_no_key(keyed: Program) -> None:
    program = (
        "from pathlib import Path; from maxagent.config.crash_report import record_crash;"
        f"print(record_crash(ValueError('{KEY} {TOKEN}'), Path(r'{keyed.home}')).message)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=keyed.environ, capture_output=True, text=True
    )
    assert "[secret: OPENAI_API_KEY] [secret: GitHub token]" in done.stdout
    assert [secret for secret in (KEY, TOKEN) if secret in done.stdout + done.stderr] == []
    assert kept(keyed) == [] and [*(keyed.home / "data" / "errors").iterdir()]
