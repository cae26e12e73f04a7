from collections.abc import Mapping
from typing import Any

import pytest
from glass_console import GlassConsole

from maxagent.cli.rendering.block_printer import BlockPrinter
from maxagent.cli.rendering.blocks import calls
from maxagent.cli.rendering.blocks.calls import CallBlocks
from maxagent.cli.rendering.blocks.folds import Fold
from maxagent.sdk import events as ev

DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"


class Seen:
    """The rows that calls print."""

    def __init__(self, columns: int = 60) -> None:
        self.console, self.folds, self.diffs = GlassConsole(columns), list[Fold](), list[str]()
        printer = BlockPrinter(self.console)
        self.calls = CallBlocks(printer, self.diffs.append, self.folds.append, lambda: 0.0)

    def call(self, tool: str, args: Mapping[str, Any], call_id: str = "c") -> None:
        self.calls.add_call(ev.ToolCall(call_id, tool, args, "build"))

    def end(self, call_id: str = "c", *, output: str = "", error: str = "", **facts: Any) -> None:
        result = ev.ToolResult(call_id, "x", not error, output, error, facts)
        self.calls.show_result(result)

    @property
    def rows(self) -> list[str]:
        self.calls.flush()
        return self.console.rows

    @property
    def live(self) -> list[str]:
        return [row.plain for row in self.calls.live_rows]


def test_command_shows_its_output_and_duration() -> None:
    seen = Seen()
    seen.call("run_command", {"command": "make"})
    seen.calls.show_output(ev.ToolOutput("c", "one\n\ttwo"))
    assert seen.live == ["◦ Run make …", "  one", "      two"] and seen.console.rows == [""]
    seen.end(exit_code=0, duration_s=3.2)
    assert seen.rows == ["", f"● Ran make{'3 s':>50}", "  └ one", "        two"]
    assert seen.live == []


def test_long_output_is_folded_and_kept() -> None:
    seen = Seen()
    seen.call("run_command", {"command": "make"})
    seen.calls.show_output(ev.ToolOutput("c", "".join(f"line {n}\n" for n in range(40))))
    seen.end(error="exit code 2", exit_code=2)
    assert seen.rows[1].endswith("exit code 2") and seen.rows[-1] == "    line 39"
    assert "    … 29 more lines · Ctrl-O details" in seen.rows
    (fold,) = seen.folds
    assert fold.render(60).plain.split("\n")[:2] == ["Ran make", "  line 0"]
    assert fold.render(60).plain.count("line") == 40


def test_reading_calls_are_one_live_row_until_another_block() -> None:
    seen = Seen()
    for number in range(6):
        seen.call("read_file", {"path": f"{number}.py"}, str(number))
        seen.end(str(number))
    assert seen.live == ["● Read 6 files"] and seen.console.rows == [""]
    seen.call("edit", {"file_path": "a.py"})
    seen.end(diff=DIFF, added=1, removed=1)
    seen.calls.flush()
    assert seen.rows == ["", "● Read 6 files · Ctrl-O details", "", "● Edited a.py  +1 −1"]
    assert seen.diffs == [DIFF] and "Read 5.py" in seen.folds[0].render(60).plain


def test_errors_for_the_model_are_one_dim_row_each() -> None:
    seen = Seen()
    for number in range(2):
        seen.call("edit", {"file_path": f"{number}.py"})
        seen.end(error="it does not exist; the closest lines:\n  3 x")
    row = "● Edit {}.py: it does not exist"
    assert seen.rows == ["", row.format(0), row.format(1)]


@pytest.mark.parametrize(
    ("facts", "error", "row"),
    [
        ({"refused": "too slow"}, "The user refused.", "  you denied it: too slow"),
        ({"refused": ""}, "The user refused.", "  you denied it"),
        ({"answered": True}, "", "  not run; you answered: later"),
        ({"timed_out": True, "exit_code": 143}, "stopped after 5 seconds", "  timed out"),
        ({"backup": "/kept/a.py"}, "", "  backup: /kept/a.py"),
    ],
)
def test_what_became_of_a_call_is_reported(facts: dict[str, Any], error: str, row: str) -> None:
    seen = Seen()
    seen.call("run_command", {"command": "make"})
    seen.end(output="later", error=error, **facts)
    assert row in seen.rows


def test_stopped_call_keeps_its_output() -> None:
    seen = Seen()
    seen.call("run_command", {"command": "sleep 61"})
    seen.calls.show_output(ev.ToolOutput("c", "begun\n"))
    seen.calls.show_stopped()
    assert seen.rows == ["", f"! Run sleep 61{'stopped':>46}", "  └ begun"] and seen.live == []


def test_answer_of_the_user_is_shown() -> None:
    seen = Seen()
    seen.calls.add_call(ev.ToolCall("c", "ask_user", {"question": "Which?"}, "build"))
    seen.calls.show_result(ev.ToolResult("c", "ask_user", True, "the \x1b[2Jred", "", {}))
    assert seen.rows == ["", "● Asked Which?", "  answered: the \\x1b[2Jred"]


def test_diff_that_a_question_keeps_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    for diff, repeated in ((DIFF, []), ("+other\n", [DIFF])):
        monkeypatch.setattr(calls, "KEPT_DIFFS", {diff})
        seen = Seen()
        seen.call("edit", {"file_path": "x"})
        seen.end(diff=DIFF)
        assert seen.diffs == repeated


def test_todo_calls_have_a_block_of_their_own() -> None:
    seen = Seen()
    seen.call("todowrite", {"action": "create"})
    seen.end()
    assert seen.rows == [""]


@pytest.mark.parametrize(
    ("language", "reason"), [("en", "it does not exist"), ("zh", "未成功，原因已告知模型")]
)
def test_words_for_the_model_are_not_half_translated(
    language: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_LANG", language)
    seen = Seen()
    seen.call("edit", {"file_path": "a.py"})
    seen.end(error="it does not exist")
    assert seen.rows[1].endswith(reason)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("x" * 300 + "\n", ["x" * 56, "x" * 56, "x" * 55 + "…"]),
        ("long " * 40 + "\n" + "line\n" * 20, ["long " * 11 + "…", "line"]),
        ("short\n", ["short"]),
    ],
)
def test_long_line_of_output_takes_three_rows(output: str, expected: list[str]) -> None:
    seen = Seen()
    seen.call("run_command", {"command": "make"})
    seen.calls.show_output(ev.ToolOutput("c", output))
    seen.end(error="exit code 2", exit_code=2)
    rows = [row.strip(" └") for row in seen.rows[2:]]
    assert rows[: len(expected)] == expected


def test_time_of_a_question_is_no_duration() -> None:
    now = [0.0]
    console = GlassConsole(60)
    blocks = CallBlocks(BlockPrinter(console), lambda diff: None, clock=lambda: now[0])
    blocks.add_call(ev.ToolCall("c", "edit", {"file_path": "a.py"}, "build"))
    blocks.note_question()
    now[0] = 20.0  # the user thinks
    blocks.show_result(ev.ToolResult("c", "edit", True, "", "", {}, {"file_path": "a.py"}))
    blocks.flush()
    assert console.rows == ["", "● Edited a.py"]


@pytest.mark.parametrize(
    ("tool", "args", "error", "row"),
    [
        (
            "plan_exit",
            {},
            "Call `plan_exit` alone: whether the other calls may run depends on the human",
            "● Plan: it failed; the model is told why",
        ),
        (
            "todowrite",
            {"action": "mark_completed"},
            "todos.list[union[Item,str]].0.Item: Input should be a valid dictionary",
            "● Plan mark_completed: it failed; the model is told why",
        ),
        ("plan_enter", {}, "task: Field required", "● Plan: it failed; the model is told why"),
        ("edit", {"file_path": "a"}, "1 validation error for edit", "● Edit a: it failed; the"),
        (
            "plan_exit",
            {"plan": "Share it"},
            "there is no plan",
            "● Plan Share it: there is no plan",
        ),
    ],
)
def test_errors_for_the_model_are_in_plain_words(
    tool: str, args: dict[str, str], error: str, row: str
) -> None:
    seen = Seen()
    seen.calls.add_call(ev.ToolCall("c", tool, args, "build"))
    seen.calls.show_result(ev.ToolResult("c", tool, False, "", error, {}))
    assert seen.rows[1].startswith(row)


@pytest.mark.parametrize(
    ("command", "output", "exit_code", "mark"),
    [
        ("pytest -q; cat log | grep FAILED", "478 passed in 3 s", 1, "●"),
        ("pytest -q | tee log\ngrep -E 'a|b' log", "478 passed", 1, "●"),
        ("pytest -q && rg 'x; y' log", "478 passed", 1, "●"),
        ("pytest -q; grep FAILED log", "1 failed, 477 passed", 1, "✗"),
        ("pytest -q; grep FAILED log", "478 passed", 2, "✗"),
        ("pytest -q && make deploy", "478 passed", 1, "✗"),
        ("pytest -q | grep x; make deploy", "478 passed", 1, "✗"),
        ("grep x log", "nothing", 1, "✗"),
    ],
)
def test_a_filter_without_match_does_not_fail_tests(
    command: str, output: str, exit_code: int, mark: str
) -> None:
    seen = Seen()
    seen.call("run_command", {"command": command})
    seen.calls.show_output(ev.ToolOutput("c", f"{output}\n"))
    seen.end(error=f"exit code {exit_code}", exit_code=exit_code)
    assert seen.rows[1].startswith(f"{mark} Ran ")
