import pytest
from glass_console import GlassConsole

from maxagent.cli.rendering.blocks.renderer import BlockRenderer
from maxagent.cli.rendering.renderer import create_text_renderer
from maxagent.cli.rendering.text_renderer import TextRenderer
from maxagent.sdk import events as ev

EVIDENCE = {"command": "pytest", "reason": "3 passed"}
READ = [
    ev.ToolCall("r", "read_file", {"path": "a.py"}, "build"),
    ev.ToolResult("r", "read_file", True, "", "", {}),
]
HUNK = "@@ -1 +1 @@\n-old\n+new\n"
USAGE = ev.TokenUsage(1, 2, 1, 0, 0.0, 2, 100)


def shown(*events: ev.Event, columns: int = 60) -> list[str]:
    console = GlassConsole(columns)
    renderer = BlockRenderer(console=console)
    for event in events:
        renderer.show_event(event)
    renderer.pause()
    return list(filter(None, console.rows))


def test_reading_goes_on_over_requests_and_ends_with_text() -> None:
    rows = shown(*READ, USAGE, *READ, ev.Output("\n"), USAGE, *READ, ev.Output("Done."))
    assert rows == ["● Read a.py", "◆ Done."]


def step(number: int, tool: str = "read_file", ok: bool = True) -> list[ev.Event]:
    """A remark, and the call that follows from it."""
    args = {"path": f"m{number}.py"}
    texts = [ev.Output(f"Now module {number}, "), ev.Output("which the `parser` calls.\n\n"), USAGE]
    ended = ev.ToolResult(f"c{number}", tool, ok, "", "" if ok else "no such file", {})
    return [*texts, ev.ToolCall(f"c{number}", tool, args, "build"), ended]


def test_sixty_reading_steps_are_one_row() -> None:
    rows = shown(*(event for n in range(60) for event in step(n)), ev.Output("Done."), USAGE)
    assert rows == ["● Read 60 files", "◆ Done."]


def test_remark_before_a_change_or_failure_stays() -> None:
    rows = shown(*step(1), *step(2, "write_file"), *step(3), *step(4, ok=False), ev.Output("So."))
    assert rows[:3] == [
        "● Read m1.py",
        "◆ Now module 2, which the parser calls.",
        "● Wrote m2.py",
    ]
    assert rows[3:] == [
        "● Read m3.py",
        "◆ Now module 4, which the parser calls.",
        "● Read m4.py: no such file",
        "◆ So.",
    ]


def test_rows_of_the_moment_have_the_remark() -> None:
    seen: list[list[str]] = []
    renderer = BlockRenderer(
        console=GlassConsole(60),
        show_rows=lambda rows: seen.append([row.plain for row in rows]),
    )
    for event in step(1):
        renderer.show_event(event)
    assert [row.plain for row in renderer.live_rows] == [
        "● Read m1.py",
        "  Now module 1, which the `parser` calls.",
    ]
    renderer.show_event(ev.Output("What arrives."))
    assert [row for row in seen[-1] if row][-1] == "◆ What arrives."
    assert "● Read m1.py" in seen[-1]


def test_error_and_hint_are_one_block() -> None:
    rows = shown(ev.Failure("no answer", "try later", 1, "abcdef123456"))
    assert rows[:2] == ["✗ error: no answer", "  hint: try later"] and "abcdef12" in rows[2]


def red_tests(number: int) -> list[ev.Event]:
    """A run of the graph's own tests that fails."""
    output = "".join(f"line {n}\n" for n in range(30)) + f"E assert 1 == {number}\n1 failed\n"
    evidence = ev.EvidenceFound("pytest -q", "failed", "1 failed", 1, 0, 1, 0, 0, "", output)
    return [ev.Verifying("pytest -q"), ev.ToolOutput("verify", output), evidence]


def test_tests_show_their_verdict_and_failures() -> None:
    for events in (red_tests(2), [red_tests(2)[0], red_tests(2)[2]]):  # seen, or resumed
        rows = shown(*events)
        assert rows[0].split() == ["✗", "tests", "pytest", "-q", "1", "failed"]
        assert rows[-2:] == ["    line 29", "    E assert 1 == 2"] and len(rows) == 7
        assert rows[1] == "  └ … 26 earlier lines"  # the end says what is wrong


PASSED = ev.EvidenceFound("pytest -q", "passed", "2 passed", 0, 2, 0, 0, 0, "", "2 passed\n")


@pytest.mark.parametrize(
    ("events", "expected", "hidden"),
    [
        ([], ["✗ pytest -q  failed 3 times · 1 failed", "E assert 1 == 2"], "E assert 1 == 1"),
        ([ev.Verifying("pytest -q"), PASSED], ["passes after 3 failures"], "E assert"),
    ],
)
def test_repair_rounds_show_the_last_tests(
    events: list[ev.Event], expected: list[str], hidden: str
) -> None:
    rounds = [
        event
        for number in range(3)
        for event in (*step(number, "write_file"), *red_tests(number), ev.Repair(number + 1, 3))
    ]
    text = "\n".join(shown(*rounds, *events, ev.Output("So.")))
    assert all(part in text for part in expected), text
    assert hidden not in text and "Wrote 3 files" in text and text.endswith("◆ So.")


def test_few_repairs_are_shown_in_full() -> None:
    rows = shown(*red_tests(2), ev.Repair(1, 3), *step(1, "write_file"), ev.Output("So."))
    assert rows[6:] == [
        "    E assert 1 == 2",
        "● repair round 1 of 3",
        "◆ Now module 1, which the parser calls.",
        "● Wrote m1.py",
        "◆ So.",
    ]


def test_end_shows_the_verdict_and_no_diff_twice(capsys: pytest.CaptureFixture[str]) -> None:
    diff = f"diff --git a/x b/x\n--- a/x\n+++ b/x\n{HUNK}"
    edit = ev.ToolResult("c", "edit", True, "", "", {"diff": f"--- a/x\n+++ b/x\n{HUNK}"})
    done = ev.Completion("abcdef123456", "verified", "It is repaired.", EVIDENCE, [], diff)
    rows = shown(edit, done)
    assert [row.split() for row in rows].count(["1", "+", "new"]) == 1
    assert rows[-1] == "✓ verified: 3 passed (pytest)"
    assert capsys.readouterr().out == "It is repaired.\n"


def test_long_diff_is_folded_to_twenty_rows() -> None:
    lines = "".join(f"+line {number}\n" for number in range(50))
    diff = f"--- /dev/null\n+++ b/x\n@@ -0,0 +1,50 @@\n{lines}"
    rows = shown(ev.ToolResult("c", "write_file", True, "", "", {"diff": diff}, {"file_path": "x"}))
    assert rows[0] == "● Wrote x" and len(rows) == 22 and rows[-1] == "  … 30 more lines"


def test_control_characters_are_made_visible_everywhere() -> None:
    text = "a\x1b[2Jb\u202ec"
    events = [
        ev.Notice(text),
        ev.Output(text),
        ev.Steered("s", text),
        ev.Todos([{"content": text, "status": "pending"}]),
        ev.ToolResult("c", text, False, "", text, {}, {"path": text}),
        ev.Verifying(text),
        ev.EvidenceFound(text, "failed", text, 1, 0, 1, 0, 0, "", text),
    ]
    output = "".join(shown(*events))
    assert output.count("a\\x1b[2Jb\\u202ec") >= 8 and "\x1b[2J" not in output


def test_pipes_and_dumb_terminals_get_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(create_text_renderer()) is TextRenderer
    monkeypatch.setenv("TERM", "dumb")
    assert type(create_text_renderer(console=GlassConsole())) is TextRenderer
    monkeypatch.setenv("TERM", "xterm")
    assert type(create_text_renderer(console=GlassConsole())) is BlockRenderer


def test_subagents_are_rows_below_their_call() -> None:
    used = {"input": 900, "output": 150}
    tasks = [{"agent_type": "explore", "task": "one"}, {"agent_type": "explore", "task": "two"}]
    rows = shown(
        ev.SubagentStarted("explore-1", "explore", "Find\nwho calls it."),
        ev.SubagentStarted("explore-2", "explore", "Find the tests."),
        ev.SubagentFinished("explore-2", "failed", "", used),
        ev.SubagentFinished("explore-1", "done", "[explore-1: done]\nIn `total`.\nMore.", used),
        ev.ToolResult("s", "subagent", True, "reports", "", {}, {"tasks": tasks}),
    )
    assert rows == [
        "● Asked 2 agents",
        "  ✓ explore-1  Find who calls it.  1.1k tokens",
        "    └ In total.",
        "  ✗ explore-2  Find the tests.  failed · 1.1k tokens",
    ]


def test_long_changes_of_files_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f"+line {number}\n" for number in range(30))
    diffs = [
        f"diff --git a/{n} b/{n}\n--- a/{n}\n+++ b/{n}\n@@ -0,0 +1,30 @@\n{lines}" for n in "xy"
    ]
    done = ev.Completion("abcdef123456", "verified", "Done.", EVIDENCE, ["x", "y"], "".join(diffs))
    rows = shown(done)
    assert rows[:3] == ["changes", "  x  +30 −0", "  y  +30 −0"] and len(rows) == 6
    assert rows[-1] == "  Undo: `mcode undo ` · Go on: `mcode`"


def test_tests_that_pass_are_one_row() -> None:
    red = "2 passed, 1 failed (as before); not from this change: `t.py::x`"
    passed = ev.EvidenceFound("pytest", "passed", red, 0, 2, 0, 0, 0, "", "...\n2 passed\n")
    rows = shown(ev.Verifying("pytest -q"), ev.ToolOutput("verify", "...\n2 passed\n"), passed)
    assert rows[0].startswith("● tests  pytest -q") and rows[0].endswith("1 failed (as before)")
    assert rows[1:] == ["  not from this change: `t.py::x`"]


OLD_RED = {**EVIDENCE, "already_red": ["t.py::x"]}


@pytest.mark.parametrize(
    ("outcome", "evidence", "verdict"),
    [
        ("verified", EVIDENCE, "✓ verified: 3 passed (pytest)"),
        ("verified", OLD_RED, "✓ verified, no new failures: 3 passed (pytest)"),
        ("failed", OLD_RED, "✗ failed: 3 passed (pytest)"),
        ("unverified", None, "! unverified: tests were skipped"),
        ("undone", OLD_RED, "! undone"),
    ],
)
def test_verdict_names_old_failures(
    outcome: str, evidence: dict[str, object] | None, verdict: str
) -> None:
    assert verdict in shown(ev.Completion("abcdef123456", outcome, "", evidence, [], ""))


def test_counts_without_a_run_say_no_verdict() -> None:
    passed = ev.EvidenceFound("pytest", "passed", "2 passed", 0, 2, 0, 0, 0, "", "")
    assert shown(passed) == ["✓ tests: 2 passed"]
