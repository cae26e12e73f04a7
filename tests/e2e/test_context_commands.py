"""`mcode threads compact` and its line in `threads show`; `/context` in a window."""

import json
import threading
from typing import Any

import pytest
from chat_window import ChatWindow
from program import Program
from provider import Provider

REPORTED = {"prompt_tokens": 90_000, "completion_tokens": 10, "total_tokens": 90_010}
FILES = [f"long{number}.txt" for number in range(6)]
READS = [
    {"text": "I look.", "tool_calls": [{"name": "read_file", "args": {"path": file}}]}
    for file in FILES
]
SEEN = {"text": "Seen.", "usage": REPORTED}
SUMMARY = "I looked at six long files; their lines are alike. Next: answer the user."


def write_files(program: Program) -> None:
    for file in FILES:
        (program.project / file).write_text("a line of a long file\n" * 900)


def test_thread_is_compacted_with_a_focus(program: Program, provider: Provider) -> None:
    write_files(program)
    provider.script([*READS, SEEN, {"text": SUMMARY}])
    thread = program.chat("what is here?").last["thread_id"]
    done = program.run("threads", "compact", thread, "--focus", "the line count")
    assert (done.code, done.stdout) == (0, "")
    assert "Compacted: 90,010 → " in done.stderr and "openai/served" in done.stderr
    assert "the line count" in provider.requests[-1].raw.decode()
    plain = program.run("threads", "show", thread).stdout
    full = program.run("threads", "show", thread, "--full").stdout
    assert "— compacted for the model: 90,010 → " in plain and SUMMARY not in plain
    assert SUMMARY in full and "what is here?" in plain
    [event] = program.run("threads", "compact", thread, "--output", "json").events
    assert (event["type"], event["reason"]) == ("compaction_finished", "user")


def test_killed_compaction_keeps_its_status(program: Program, provider: Provider) -> None:
    write_files(program)
    asked = threading.Event()
    answers: list[dict[str, Any]] = [*READS, SEEN, {"text": SUMMARY, "hang_after": 0}]

    def answer(_: object) -> dict[str, Any]:
        if len(answers) == 1:
            asked.set()
        return answers.pop(0)

    provider.script(answer)
    thread = program.chat("what is here?").last["thread_id"]
    [before] = json.loads(program.run("threads", "list", "--json").stdout)
    process = program.start("threads", "compact", thread)
    assert asked.wait(60)
    process.kill()
    program.end(process)
    [after] = json.loads(program.run("threads", "list", "--json").stdout)
    assert (before["status"], after["status"]) == ("idle", "idle")


def test_nothing_to_leave_out_is_all_it_says(program: Program, provider: Provider) -> None:
    provider.script([{"text": "Hello."}])
    thread = program.chat("hello").last["thread_id"]
    done = program.run("threads", "compact", thread)
    assert done.code == 0 and len(done.stderr.splitlines()) == 1, done.stderr
    assert len(provider.requests) == 1


@pytest.mark.parametrize("turns", [1, 2, 4, 6, 9])
def test_short_conversation_is_compacted_when_asked(
    turns: int, program: Program, provider: Provider
) -> None:
    (program.project / "a.txt").write_text("a line of a file\n" * 500)
    read = {"tool_calls": [{"name": "read_file", "args": {"path": "a.txt", "end_line": 500}}]}
    lines = [{"text": f"Answer {number}. {'word ' * 300}"} for number in range(turns - 1)]
    provider.script([read, *lines, {"text": "Done."}, {"text": SUMMARY}, {"text": "Next."}])
    program.chat("look")
    for number in range(turns - 1):
        program.chat("--continue", f"more {number}")
    done = program.run("threads", "compact")
    assert (done.code, "Compacted: " in done.stderr) == (0, True), done.stderr
    assert program.chat("--continue", "next").last["summary"] == "Next."


def test_without_compaction_the_hint_names_the_command(
    program: Program, provider: Provider
) -> None:
    provider.script([{"status": 400, "body": {"error": {"message": "prompt is too long"}}}])
    ended = program.chat("hello", LLC_CONTEXT__AUTO_COMPACT="false")
    thread = ended.last["thread_id"]
    assert (ended.code, ended.last["type"]) == (3, "error")
    assert f"`mcode threads compact {thread[:8]}`" in ended.last["hint"]


def test_open_question_is_not_compacted_away(program: Program, provider: Provider) -> None:
    provider.script([{"tool_calls": [{"name": "run_command", "args": {"command": "touch a"}}]}])
    thread = program.chat("make it", "--mode", "ask").last["thread_id"]
    refused = program.run("threads", "compact", thread)
    assert (refused.code, "hint:" in refused.stderr) == (2, True)


@pytest.mark.parametrize(("language", "columns"), [("en", 80), ("zh", 40)])
def test_context_table_in_a_window(language: str, columns: int, tmp_path, provider) -> None:
    window = ChatWindow(tmp_path, provider, language)
    write_files(window.program)
    with window.open(columns=columns, rows=40):
        window.answers(READS[0], SEEN)
        window.say("what is here?", until="Seen.")
        window.type("/context").press("enter")
        window.see("90,010", *(window.words(f"slash.context.{kind}") for kind in ("tools", "free")))
        window.rest()
        window.answers({"text": SUMMARY})
        window.type("/compact").press("enter").see("90,010 →")
