from collections.abc import Sequence

import pytest
from glass_console import GlassConsole
from rich.text import Text

from maxagent.cli.rendering.block_printer import BlockPrinter
from maxagent.cli.rendering.blocks.calls import CallBlocks
from maxagent.cli.rendering.blocks.folds import Fold
from maxagent.cli.rendering.blocks.renderer import BlockRenderer
from maxagent.sdk import events as ev

COLUMNS = 80


def diff_of(path: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1 +1,2 @@\n-old\n+new\n+more\n"


def edit(path: str) -> ev.ToolResult:
    facts = {"added": 2, "removed": 1, "diff": diff_of(path)}
    return ev.ToolResult("", "edit", True, "", "", facts, {"file_path": path})


def run(command: str, code: int = 0) -> ev.ToolResult:
    error = f"exit code {code}" if code else ""
    args = {"command": command}
    return ev.ToolResult("", "run_command", not code, "", error, {"exit_code": code}, args)


def read(path: str) -> ev.ToolResult:
    return ev.ToolResult("", "read_file", True, "", "", {}, {"path": path})


class Seen:
    """The rows that the steps of one turn print."""

    def __init__(self) -> None:
        self.console, self.folds = GlassConsole(COLUMNS), list[Fold]()
        printer = BlockPrinter(self.console)
        self.noted: list[str] = []
        self.calls = CallBlocks(
            printer,
            lambda diff: printer.print_rows(Text(diff.rstrip("\n"))),
            self.folds.append,
            lambda: 0.0,
            note_diff=self.noted.append,
        )

    def show(self, steps: Sequence[ev.ToolResult], output: str = "") -> list[str]:
        for number, step in enumerate(steps):
            call = ev.ToolCall(str(number), step.tool, step.args, "build")
            self.calls.add_call(call)
            if output and step.tool == "run_command":
                self.calls.show_output(ev.ToolOutput(str(number), output))
            result = ev.ToolResult(
                str(number), step.tool, step.ok, "", step.error, step.metadata, step.args
            )
            self.calls.show_result(result)
        self.calls.flush()
        return [row for row in self.console.rows if row]


FAILED, PASSED = run("pytest -q", 1), run("pytest -q")


def test_few_steps_are_shown_in_full() -> None:
    seen = Seen()
    rows = seen.show([read("a.py"), edit("a.py"), PASSED])
    assert rows[:2] == ["● Read a.py", "● Edited a.py  +2 −1"] and rows[-1] == "● Ran pytest -q"
    assert seen.noted == [diff_of("a.py")]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            [edit("a"), edit("b"), edit("a")] * 4,
            ["● Edited 2 files", "  a +16 −8 · b +8 −4"],
        ),
        ([FAILED, edit("a")] * 5 + [PASSED], ["  ✓ pytest -q  passes after 5 failures"]),
        (
            [PASSED, edit("a")] * 5 + [FAILED],
            ["  ✗ pytest -q  failed · exit code 1"],
        ),
        ([run("make", 2), PASSED, edit("a")] * 5, ["  ✗ make  failed 5 times · exit code 2"]),
        ([edit(f"{n}.py") for n in range(9)], ["3 more files"]),
        ([run(f"m{n}", 1) for n in range(40)], ["… 37 more commands have failed"]),
        ([read("a"), PASSED, read("b"), edit("a")] * 5, ["ran 5 commands, read 2 files"]),
    ],
)
def test_many_steps_are_folded(steps: list[ev.ToolResult], expected: list[str]) -> None:
    text = "\n".join(Seen().show(steps))
    assert all(part in text for part in expected), text


def test_fold_has_every_step_output_and_diff() -> None:
    seen = Seen()
    seen.show([FAILED, edit("a.py"), read("b.py")] * 5, output="E assert 1 == 2\n1 failed\n")
    text = seen.folds[-1].render(COLUMNS).plain
    assert text.count("E assert 1 == 2") == text.count("+ more") == 5 and "Read b.py" in text


def test_diff_of_a_folded_step_is_not_noted() -> None:
    seen = Seen()
    seen.show([edit("a"), PASSED] * 6)
    assert seen.noted == []


def test_what_is_held_shows_its_last_blocks() -> None:
    seen = Seen()
    for step in [edit(f"{n}.py") for n in range(9)]:
        seen.calls.show_result(step)
    live = [row.plain for row in seen.calls.live_rows]
    assert live[0] == "● Edited 9 files" and "● Edited 8.py  +2 −1" in live
    assert len(live) <= 14 and seen.console.rows == [""]


@pytest.mark.parametrize("columns", [100, 80, 60])
def test_sixty_mixed_steps_are_forty_rows(columns: int) -> None:
    console = GlassConsole(columns)
    renderer = BlockRenderer(console=console)
    cycle = [read("a.py"), read("b.py"), edit("a.py"), FAILED, edit("b.py"), PASSED]
    for number, step in enumerate(cycle * 10):
        renderer.show_event(ev.Output(f"Now step {number}.\n\n"))
        renderer.show_event(ev.ToolCall("c", step.tool, step.args, "build"))
        renderer.show_event(step)
    renderer.show_event(ev.Output("All is done."))
    renderer.pause()
    assert len(console.rows) <= 40 and console.rows[-1] == "◆ All is done."
