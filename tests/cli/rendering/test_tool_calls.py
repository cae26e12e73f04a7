import pytest

from maxagent.cli.rendering import tool_calls
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


def test_long_output_shows_beginning_and_end() -> None:
    seen = Seen()
    text = "".join(f"line {number}\n" for number in range(50))
    for at in range(0, len(text), 7):
        seen.view.show_output(ev.ToolOutput("c", text[at : at + 7]))
    assert seen.lines == [f"| line {number}" for number in range(FIRST_LINES)]
    seen.view.show_result(result())
    assert seen.lines[FIRST_LINES] == f"    … {50 - FIRST_LINES - LAST_LINES} more lines"
    assert seen.lines[-2] == "| line 49" and "run_command" in seen.lines[-1]


def test_short_output_is_whole_with_unterminated_last_line() -> None:
    seen = Seen()
    seen.view.add_call(CALL)
    seen.view.show_output(ev.ToolOutput("c", "one\ntwo"))
    seen.view.show_result(result())
    assert seen.lines == ["  ▸ run_command make", "| one", "| two", "  ✓ run_command"]


def test_each_call_is_named_above_its_output() -> None:
    seen = Seen()
    seen.view.add_call(CALL)
    seen.view.add_call(ev.ToolCall("d", "grep", {"pattern": "x"}, "build"))
    for call_id in ("c", "d", "c"):
        seen.view.show_output(ev.ToolOutput(call_id, f"of {call_id}\n"))
    heads = ["  ▸ run_command make", "  ▸ grep x", "  ▸ run_command make"]
    assert seen.lines[::2] == heads and seen.lines[1::2] == ["| of c", "| of d", "| of c"]


def test_call_refused_by_user_is_shown_as_refused() -> None:
    for text, line in (("too slow", "    you denied it: too slow"), ("", "    you denied it")):
        seen = Seen()
        seen.view.add_call(CALL)
        seen.view.show_result(result(ok=False, error="The user refused this call.", refused=text))
        assert seen.lines == ["  ✗ run_command make", line]


def test_error_ending_in_colon_shows_following_lines() -> None:
    for error, lines in (
        ("it is not there; the closest lines:\n 3  old\n 4  new", ["| 3  old", "| 4  new"]),
        ("it is not there\nfor the model", []),
    ):
        seen = Seen()
        seen.view.add_call(CALL)
        seen.view.show_result(result(ok=False, error=error))
        message = [line.replace("|  ", "| ") for line in seen.lines]
        assert message == ["  ✗ run_command make", f"    {error.splitlines()[0]}", *lines]


def test_diff_shown_by_question_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    for asked, lines in ((DIFF, []), (DIFF + "+more\n", [f"| {DIFF}"])):
        seen = Seen()
        monkeypatch.setattr(tool_calls, "KEPT_DIFFS", {asked})
        seen.view.add_call(CALL)
        seen.view.show_result(result(diff=DIFF))
        assert seen.lines == ["  ✓ run_command make", *lines]


def test_call_is_running_until_its_result() -> None:
    seen = Seen()
    seen.view.add_call(CALL)
    assert seen.view.running_calls == ["  ▸ run_command make"]
    seen.view.show_result(result())
    assert seen.view.running_calls == []


def test_what_the_human_answered_stands_in_the_record() -> None:
    seen = Seen()
    seen.view.add_call(ev.ToolCall("c", "ask_user", {"question": "Which?"}, "build"))
    seen.view.show_result(ev.ToolResult("c", "ask_user", True, "the \x1b[2Jred one", "", {}))
    assert seen.lines == ["  ✓ ask_user Which?", "    answered: the \\x1b[2Jred one"]
