"""`mcode threads compact` and its line in `threads show`; `/context` in a window."""

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
        window.type("/compact").press("enter").see(window.words("compaction.started.user"))
