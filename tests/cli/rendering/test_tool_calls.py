from maxagent.cli.rendering.tool_calls import FIRST_LINES, LAST_LINES, ToolView
from maxagent.sdk import events as ev

CALL = ev.ToolCall("c", "run_command", {"command": "make"}, "build")
DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"


class Seen:
    """The lines that were shown."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.view = ToolView(lambda text, _: self.lines.append(text), self._program, self._program)

    def _program(self, line: str) -> None:
        self.lines.append(f"| {line}")


def result(ok: bool = True, error: str = "", **metadata: object) -> ev.ToolResult:
    return ev.ToolResult("c", "run_command", ok, "", error, metadata)


def test_the_beginning_and_the_end_of_a_long_output_are_shown() -> None:
    seen = Seen()
    text = "".join(f"line {number}\n" for number in range(50))
    for at in range(0, len(text), 7):
        seen.view.wrote(ev.ToolOutput("c", text[at : at + 7]))
    assert seen.lines == [f"| line {number}" for number in range(FIRST_LINES)]
    seen.view.answered(result())
    assert seen.lines[FIRST_LINES] == f"    … {50 - FIRST_LINES - LAST_LINES} more lines"
    assert seen.lines[-2] == "| line 49" and "run_command" in seen.lines[-1]


def test_a_short_output_is_shown_whole_with_a_last_line_that_has_no_end() -> None:
    seen = Seen()
    seen.view.called(CALL)
    seen.view.wrote(ev.ToolOutput("c", "one\ntwo"))
    seen.view.answered(result())
    assert seen.lines == ["  ▸ run_command make", "| one", "| two", "  ✓ run_command"]


def test_each_call_is_named_above_its_output() -> None:
    seen = Seen()
    seen.view.called(CALL)
    seen.view.called(ev.ToolCall("d", "grep", {"pattern": "x"}, "build"))
    for call_id in ("c", "d", "c"):
        seen.view.wrote(ev.ToolOutput(call_id, f"of {call_id}\n"))
    heads = ["  ▸ run_command make", "  ▸ grep x", "  ▸ run_command make"]
    assert seen.lines[::2] == heads and seen.lines[1::2] == ["| of c", "| of d", "| of c"]


def test_what_the_human_refused_is_told_to_them_as_such() -> None:
    for words, line in (("too slow", "    you denied it: too slow"), ("", "    you denied it")):
        seen = Seen()
        seen.view.called(CALL)
        seen.view.answered(result(ok=False, error="The user refused this call.", refused=words))
        assert seen.lines == ["  ✗ run_command make", line]


def test_an_error_that_announces_lines_is_shown_with_them() -> None:
    for error, lines in (
        ("it is not there; the closest lines:\n 3  old\n 4  new", ["| 3  old", "| 4  new"]),
        ("it is not there\nfor the model", []),
    ):
        seen = Seen()
        seen.view.called(CALL)
        seen.view.answered(result(ok=False, error=error))
        told = [line.replace("|  ", "| ") for line in seen.lines]
        assert told == ["  ✗ run_command make", f"    {error.splitlines()[0]}", *lines]


def test_a_diff_that_the_question_has_shown_is_not_shown_again() -> None:
    request = {"name": "edit", "args": {}, "tool_call_id": "c", "diff": DIFF}
    for asked, lines in ((DIFF, []), (DIFF + "+more\n", [f"| {DIFF}"])):
        seen = Seen()
        question = ev.Question("t", "i", "approval", [{**request, "diff": asked}], [{}])
        seen.view.called(CALL)
        seen.view.asked(question)
        seen.view.answered(result(diff=DIFF))
        assert seen.lines == ["  ✓ run_command make", *lines]


def test_a_call_is_under_way_until_something_comes_of_it() -> None:
    seen = Seen()
    seen.view.called(CALL)
    assert seen.view.under_way == ["  ▸ run_command make"]
    seen.view.answered(result())
    assert seen.view.under_way == []


def test_what_the_human_answered_stands_in_the_record() -> None:
    seen = Seen()
    seen.view.called(ev.ToolCall("c", "ask_user", {"question": "Which?"}, "build"))
    seen.view.answered(ev.ToolResult("c", "ask_user", True, "the \x1b[2Jred one", "", {}))
    assert seen.lines == ["  ✓ ask_user Which?", "    answered: the \\x1b[2Jred one"]
