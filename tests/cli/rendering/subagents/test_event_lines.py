import pytest

from maxagent.cli.rendering.subagents.event_lines import build_attempt_table, format_subagent_line
from maxagent.cli.rendering.text_renderer import TextRenderer
from maxagent.sdk import events as ev

USED = {"requests": 2, "input": 1000, "output": 234}


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            ev.SubagentStarted("explore-1", "explore", "Look\nat \x1b[1m it"),
            "explore-1 works: Look",
        ),
        (ev.SubagentFinished("explore-1", "done", "x", USED), "requests: 2, tokens: 1,234"),
        (ev.SubagentFinished("explore-1", "partial", "x", USED), "since a limit stopped it"),
        (ev.SubagentFinished("explore-1", "failed", "x", USED), "explore-1 has failed"),
        (ev.Notice("slow", agent="explore-1"), "explore-1: slow"),
        (ev.AttemptProgress(2, "t", "", "ended", usage=USED), "attempt 2 has ended; requests: 2,"),
        (ev.AttemptProgress(2, "t", "", "running", "coder", usage=USED), ""),
        (ev.AttemptsCompared([], {**USED, "cost": 0.5}), "requests: 2, tokens: 1,234, $0.5000"),
        (ev.Notice("slow"), ""),
        (ev.Output("text", agent="explore-1"), ""),
    ],
)
def test_start_end_and_notices_have_a_line(event: ev.Event, line: str) -> None:
    subagent_line = format_subagent_line(event)
    assert (
        line in subagent_line and bool(line) is bool(subagent_line) and "\x1b" not in subagent_line
    )


def test_what_a_child_says_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = TextRenderer()
    renderer.show_event(ev.Output("its own words", agent="explore-1"))
    renderer.show_event(ev.ToolCall("c", "grep", {"regex": "x"}, "agent", agent="explore-1"))
    renderer.show_event(ev.Output("the answer"))
    renderer.show_end(None)
    output = capsys.readouterr()
    assert "its own words" not in output.out + output.err and "grep" not in output.err
    assert "the answer" in output.out + output.err


ATTEMPT = {"outcome": "verified", "reason": "it breaks no test", "lines": 2, "passed": 2}


@pytest.mark.parametrize(
    ("width", "cost", "heads", "line"),
    [
        (78, 0.0, "changes tokens thread", "2 passed 2 lines 23k 11111111"),
        (78, 0.0123, "changes tokens cost thread", "2 passed 2 lines 23k $0.0123 11111111"),
        (50, 0.0123, "changes tokens thread", "2 passed 2 lines 23k 11111111"),
        (38, 0.0, "changes thread", "2 passed 2 lines 11111111"),
        (30, 0.0, "thread", "2 passed 11111111"),
    ],
)
def test_attempts_are_lines_that_fit(width: int, cost: float, heads: str, line: str) -> None:
    attempts = [
        {**ATTEMPT, "number": at, "thread_id": f"{at}" * 12, "kept": at == 1,
         "usage": {"input": 20_000, "output": 3_000, "cost": cost}}
        for at in (1, 2)
    ]  # fmt: skip
    rows = [row.plain for row in build_attempt_table(ev.AttemptsCompared(attempts), width)]
    assert rows[0].split() == ["attempt", "tests", *heads.split()]
    assert rows[1].split() == ["✓", "1", *line.split()] and max(map(len, rows)) <= width
    assert rows[3].startswith("  2")
    assert rows[2] == rows[4] == "  it breaks no test"
