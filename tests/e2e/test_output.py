"""What `mcode task` says on stdout and stderr when it is piped, and how it parks on a question."""

import json
import re

import pytest
from confinement import needs_bubblewrap
from event_schema import checked
from faults import Answer
from program import KEY, Program
from provider import Provider

WRITES = {"name": "run_command", "args": {"command": "echo one > log.txt"}}
ASKS = {"name": "ask_user", "args": {"question": "Which line?", "options": ["one", "two"]}}
SMALL, ACCEPTED = {"text": "SMALL: log.txt"}, {"text": "Accepted."}
SUMMARY = "One line is written.\nSee `log.txt`."
RED = "\x1b[31mred\x1b[0m \x1b]0;title\x07"
GOOD = {"LLC_TASK__TEST_COMMAND": "grep -q . log.txt"}
PLAIN = ({}, {"NO_COLOR": "1", "COLUMNS": "40"}, {"TERM": "xterm-256color", "COLORTERM": "24bit"})

Environ = dict[str, str]


def answers(*, said: str = SUMMARY, call: Answer = WRITES) -> list[Answer]:
    return [SMALL, {"text": f"{said} ", "tool_calls": [call]}, {"text": said}, ACCEPTED]


@pytest.mark.parametrize("environ", PLAIN, ids=("as it is", "narrow", "colourful"))
def test_text_output_puts_only_result_on_stdout(
    environ: Environ, program: Program, provider: Provider
) -> None:
    provider.script(answers())
    ended = program.task("--mode", "auto", "--apply", output="text", **GOOD, **environ)
    assert (ended.code, ended.stdout) == (0, f"{SUMMARY}\n")
    assert "echo one > log.txt" in ended.stderr and "verified" in ended.stderr
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", ended.stdout + ended.stderr)


def test_model_and_command_text_cannot_control_the_terminal(
    program: Program, provider: Provider
) -> None:
    command = r"printf '\033[31mred\033[0m \033]0;title\007' | tee log.txt"
    loud = {"name": "run_command", "args": {"command": command}}
    provider.script(answers(said=f"{RED} done", call=loud))
    ended = program.task("--mode", "auto", "--apply", output="text", **GOOD)
    assert (ended.code, "red" in ended.stdout, "red" in ended.stderr) == (0, True, True)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", ended.stdout + ended.stderr)


@pytest.mark.parametrize("output", ["json", "stream-json"])
def test_json_is_all_that_stdout_carries(output: str, program: Program, provider: Provider) -> None:
    provider.script(answers(said=f"{RED} done"))
    ended = program.task("--mode", "auto", "--apply", output=output, **GOOD, NO_COLOR="1")
    kinds = [next(iter(json.loads(line).items())) for line in ended.stdout.splitlines()]
    assert (ended.code, ended.stderr, ended.outcome) == (0, "", "verified")
    assert kinds[-1] == ("type", "completion") and {key for key, _ in kinds} == {"type"}
    assert kinds[0] == ("type", "run_started" if output == "stream-json" else "completion")
    assert "\x1b" not in ended.stdout


def test_events_are_messages_with_path_and_number(program: Program, provider: Provider) -> None:
    provider.script(answers())
    ended = program.task("--mode", "auto", "--apply", output="events", **GOOD)
    messages = [json.loads(line) for line in ended.stdout.splitlines()]
    for message in messages:
        if message["type"] != "window_length":
            checked(json.dumps({"type": message["type"], **message["data"]}))
    assert (ended.code, ended.stderr) == (0, "")
    assert [message["meta"]["seq"] for message in messages] == [*range(1, len(messages) + 1)]
    assert len({message["meta"]["run_id"] for message in messages}) == 1
    assert messages[0]["path"] == "/agent/edit/conversation_id"
    assert messages[-1]["path"] == "/agent/edit/completion"


@pytest.mark.parametrize(
    ("output", "stdout", "stderr"),
    [
        ("text", r"^$", r"(?s)\nerror: .* 401.*\nhint: .+\n.*ontinue with `mcode resume \w+`"),
        ("json", r'^\{"type": "error", "message": ".* 401.*"hint": ".+", "exit_code": 1', "^$"),
    ],
)
def test_an_error_is_words_and_a_remedy(
    output: str, stdout: str, stderr: str, program: Program, provider: Provider
) -> None:
    provider.script([{"status": 401, "body": f"no such key: {KEY}"}])
    ended = program.task(output=output)
    assert ended.code == 1
    assert re.search(stdout, ended.stdout) and re.search(stderr, ended.stderr)
    assert not re.search(f"Traceback|{KEY}", ended.stdout + ended.stderr)


def test_missing_server_is_reported_and_another_one_continues(
    program: Program, provider: Provider
) -> None:
    with Provider() as missing:
        closed = missing.url
    ended = program.task(
        "--mode", "auto", "--apply", "--base-url", closed, LLC_MODEL__MAX_RETRIES="0"
    )
    assert (ended.code, ended.stderr) == (1, "")
    assert "could not be reached" in ended.last["message"] and "base URL" in ended.last["hint"]
    provider.script(answers())
    again = program.resume(ended.last["thread_id"], "--base-url", provider.url, **GOOD)
    assert (again.code, again.outcome) == (0, "verified")


def test_review_parks_explains_answering_and_accepts_answer(
    program: Program, provider: Provider
) -> None:
    provider.script(answers())
    parked = program.task("--mode", "auto", output="text", **GOOD)
    assert (parked.code, parked.stdout) == (4, "")
    how = re.search(r"`mcode resume (\w+) --question (\w+)` and `--approve`", parked.stderr)
    assert how, parked.stderr
    retained = program.resume(how[1], "--question", how[2], "--approve", output="text", **GOOD)
    assert (retained.code, retained.stdout) == (0, f"{SUMMARY}\n")


@needs_bubblewrap  # else the tests are asked about too
def test_command_parks_until_approved_and_runs_once(program: Program, provider: Provider) -> None:
    appends = {"name": "run_command", "args": {"command": "echo one >> log.txt"}}
    provider.script(answers(call=appends))
    parked = program.task("--apply", **GOOD)
    assert (parked.code, parked.last["type"], parked.last["kind"]) == (4, "question", "approval")
    assert parked.last["action_requests"][0]["args"] == appends["args"]
    assert not (program.project / "log.txt").exists()
    ended = program.resume(parked.last["thread_id"], "--approve", **GOOD)
    assert (ended.code, ended.outcome, program.lines()) == (0, "verified", ["one"])


def test_model_question_parks_and_takes_text_answer(program: Program, provider: Provider) -> None:
    provider.script([SMALL, {"tool_calls": [ASKS]}, *answers()[1:]])
    parked = program.task("--mode", "auto", "--apply", output="text", **GOOD)
    assert (parked.code, parked.stdout) == (4, "")
    assert "Which line?" in parked.stderr and "--answer TEXT" in parked.stderr
    thread = program.run("threads", "list", "--json")
    ended = program.resume(json.loads(thread.stdout)[0]["thread_id"], "--answer", "two", **GOOD)
    assert (ended.code, ended.outcome) == (0, "verified")
    assert provider.requests[2].body["messages"][-1]["content"] == "two"


def test_a_reader_that_leaves_loses_nothing(program: Program, provider: Provider) -> None:
    provider.script(answers())
    process = program.start("task", "Write a line.", "--mode", "auto", "--apply", **GOOD)
    assert process.stdout
    thread = json.loads(process.stdout.readline())["thread_id"]
    process.stdout.close()
    process.stdout = None
    assert program.end(process).stderr == ""
    provider.script(answers())
    again = program.resume(thread, **GOOD)
    assert (again.code, again.outcome) == (0, "verified")


def test_a_command_is_not_given_the_key(program: Program, provider: Provider) -> None:
    prints = {"name": "run_command", "args": {"command": "env | tee log.txt"}}
    provider.script(answers(call=prints))
    ended = program.task("--mode", "auto", "--apply", **GOOD)
    assert (ended.outcome, "PATH=" in ended.stdout) == ("verified", True)
    assert (KEY in ended.stdout, program.files_with(KEY)) == (False, [])
