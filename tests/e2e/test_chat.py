"""`mcode chat` without a prompt: one message, what is piped, what goes on, what stops it."""

import json
import re

import pytest
from program import Program
from provider import Provider

from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow

LOOKS = {"text": "Let me look.", "tool_calls": [{"name": "list_files", "args": {}}]}
WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "new.txt", "content": "new\n"}}]}
SCHEMA = {"type": "object", "required": ["files"], "properties": {"files": {"type": "integer"}}}


def said(provider: Provider, number: int = -1) -> list[str]:
    """What the human said, as a request had it."""
    messages = provider.requests[number].body["messages"]
    return [message["content"] for message in messages if message["role"] == "user"]


def threads(program: Program) -> list[ThreadRow]:
    return ThreadIndex(program.home).list()


def test_only_the_answer_is_on_stdout(program: Program, provider: Provider) -> None:
    provider.script([LOOKS, {"text": "**Nothing** is here.\n"}])
    ended = program.chat("what is here?", output="text")
    assert (ended.code, ended.stdout) == (0, "**Nothing** is here.\n")
    assert ended.stderr.index("Let me look.") < ended.stderr.index("list_files")
    assert "Nothing" not in ended.stderr


def test_piped_input_joins_or_replaces_the_message(program: Program, provider: Provider) -> None:
    provider.script([{"text": "One."}, {"text": "Two."}, {"text": "Three."}])
    key = f"sk-{'Ab1' * 10}"
    for name in ("typed.txt", "piped.txt"):
        (program.project / name).write_text(f"in {name}\n")
    piped = f"+ key = {key}\n+ 中文 @piped.txt\n"
    reviewed = program.chat("review @typed.txt", stdin=piped)
    assert (reviewed.code, "[secret: API key]" in str(reviewed.told("notice"))) == (0, True)
    data, output, text = said(provider)
    retained = r"as data.*\n<stdin>\n\+ key = \[secret: API key\]\n\+ 中文 @piped.txt\n</stdin>$"
    assert re.search(retained, data, re.DOTALL) and "in typed.txt" in output
    assert text == "review @typed.txt" and "in piped.txt" not in output
    names = [
        program.run("threads", "list", "--search", subject).stdout for subject in ("review", "中文")
    ]
    assert ["review @typed" in result for result in names] == [True, False]
    stdout = program.run("threads", "show", reviewed.last["thread_id"]).stdout
    assert "\n  review @typed.txt\n\npiped input\n  + key" in stdout and "as data" not in stdout
    assert program.chat(stdin="what is @piped.txt?\n").last["summary"] == "Two."
    assert said(provider) == ["what is @piped.txt?"]
    (program.home / "config.yaml").write_text(
        f"model: {{default: openai/served}}\nlitellm: {{base_url: '{provider.url}'}}\n"
    )
    bare = program.run(stdin="and @piped.txt?\n")
    assert (bare.code, bare.stdout, said(provider)) == (0, "Three.\n", ["and @piped.txt?"])


def test_an_empty_message_is_wrong_use(program: Program, provider: Provider) -> None:
    bare, chat = program.run(), program.chat(output="text")
    assert (bare.code, bare.stdout, "Usage:" in bare.stderr) == (2, "", True)
    assert (chat.code, chat.stdout, "no message given" in chat.stderr) == (2, "", True)
    assert (provider.requests, threads(program)) == ([], [])


def test_conversation_continues_as_latest_named_or_copy(
    program: Program, provider: Provider
) -> None:
    provider.script([{"text": f"{number}."} for number in range(5)])
    first = program.chat("one", "--name", "mine").last["thread_id"]
    other = program.chat("two").last["thread_id"]
    assert program.chat("three", "-c").last["thread_id"] == other
    assert said(provider) == ["two", "three"]
    assert program.chat("four", "--resume", "mine").last["thread_id"] == first
    copy = program.chat("five", "--resume", "mine", "--fork", "--name", "copy")
    assert copy.last["summary"] == "4." and said(provider) == ["one", "four", "five"]
    rows = {row.name: row for row in threads(program)}
    assert rows["copy"].parent == rows["mine"].thread_id == first
    assert {row.status for row in rows.values()} == {"idle"}


def test_no_history_deletes_thread_unless_it_waits(program: Program, provider: Provider) -> None:
    provider.script([{"text": "One."}, WRITES, {"text": "Two."}])
    ended = program.chat("one", "--no-history", output="text")
    assert (ended.code, ended.stdout, "Deleted thread" in ended.stderr) == (0, "One.\n", True)
    assert threads(program) == [] and program.files_with("One.") == []
    waits = program.chat("two", "--no-history", output="json")
    [row] = threads(program)
    assert (waits.code, row.status, "Kept thread" in waits.stderr) == (4, "waiting", True)


def test_question_parks_explains_answering_and_accepts_answer(
    program: Program, provider: Provider
) -> None:
    provider.script([WRITES, {"text": "Written."}, {"text": "More."}])
    parked = program.chat("write it", output="text")
    how = re.search(r"`mcode resume (\w+) --question (\w+)`", parked.stderr)
    assert (parked.code, parked.stdout) == (4, "") and how
    early = program.chat("and more", "-c", output="text")
    assert (early.code, early.stdout) == (2, "") and "waits for an answer" in early.stderr
    ended = program.resume(how[1], "--question", how[2], "--approve", output="text")
    assert (ended.code, ended.stdout, program.lines("new.txt")) == (0, "Written.\n", ["new"])
    assert program.chat("and more", "-c", output="text").stdout == "More.\n"


def test_turn_and_time_limits_leave_resumable_thread(program: Program, provider: Provider) -> None:
    provider.script([LOOKS, {"text": "One."}, {**LOOKS, "wait": 2.5}, {"text": "Two."}])
    limited = program.chat("look", "--max-turns", "1", output="json")
    assert (limited.code, limited.last["description"]) == (3, "1 model turn used")
    assert program.resume(limited.last["thread_id"], output="json").last["summary"] == "One."
    late = program.chat("look", "-c", "--timeout", "1", output="text")
    assert (late.code, late.stdout, "timed out" in late.stderr) == (3, "", True)
    ended = program.resume(limited.last["thread_id"], output="text")
    assert (ended.code, ended.stdout) == (0, "Two.\n")


def test_answer_by_schema_is_json_or_failure(program: Program, provider: Provider) -> None:
    (program.project / "s.json").write_text(json.dumps(SCHEMA))
    provider.script([LOOKS, {"text": "So:\n```json\n{'files': 0,}\n```"}])
    ended = program.chat("how many?", "--json-schema", "s.json", output="text")
    assert (ended.code, ended.stdout) == (0, '{"files": 0}\n')
    provider.script([{"text": "None."}] * 3)
    failed = program.chat("how many?", "--json-schema", "s.json", output="text")
    assert (failed.code, failed.stdout) == (1, "")
    assert failed.stderr.count("does not fit the schema, the model is asked again") == 2
    assert "No answer fits the schema" in failed.stderr and "None." in failed.stderr


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        ({"status": 401, "body": "no such key"}, 1, "401"),
        ({"status": 400, "body": {"error": {"code": "context_length_exceeded", "message": "x"}}},
         3, "context"),
    ],
)  # fmt: skip
def test_model_error_is_reported_and_thread_is_kept(
    answer: dict, code: int, text: str, program: Program, provider: Provider
) -> None:
    provider.script([answer] * 3)  # what is too long is asked again, and no summary of it
    ended = program.chat("hi", output="text")
    assert (ended.code, ended.stdout) == (code, "")
    assert text in ended.stderr and "Traceback" not in ended.stderr
    assert len(threads(program)) == 1


def test_pipe_that_stays_open_is_named(program: Program, provider: Provider) -> None:
    provider.script([{"text": "Hello."}])
    process = program.talk("--input", "text", "hi")
    assert process.stdin and process.stderr
    assert "add `< /dev/null`" in process.stderr.readline()
    process.stdin.close()
    process.stdin = None
    ended = program.end(process)
    assert (ended.code, ended.outcome) == (0, "answered")


@pytest.mark.parametrize("size", ["0", "00", "", "1", "-5", "x"])
def test_no_size_of_terminal_hides_words(size: str, program: Program, provider: Provider) -> None:
    provider.script([{"text": "Hello."}])
    ended = program.chat("hi", output="text", COLUMNS=size, LINES=size)
    assert (ended.stdout, "thread " in ended.stderr) == ("Hello.\n", True)
