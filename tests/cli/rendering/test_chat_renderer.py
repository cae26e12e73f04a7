"""A turn as text: the answer once on stdout, all that is no answer on stderr."""

from collections.abc import Sequence

import pytest

from maxagent.cli.options import AnswerStyle
from maxagent.cli.rendering.chat_renderer import AnswerRenderer
from maxagent.sdk import events as ev

USAGE = ev.TokenUsage(1, 10, 5, 0, None, 10, 100)
CALL = ev.ToolCall("c1", "list_files", {}, "build")
RESULT = ev.ToolResult("c1", "list_files", True, "", "", {})


def ended(summary: str, outcome: str = "answered") -> ev.Completion:
    return ev.Completion("t", outcome, summary, None, [], "", "chat")


def shown(capsys: pytest.CaptureFixture[str], *events: ev.Event) -> tuple[str, str]:
    renderer = AnswerRenderer(AnswerStyle.streamed)
    for event in events:
        renderer.show_event(event)
    renderer.show_end(events[-1])
    return capsys.readouterr()


@pytest.mark.parametrize(
    ("events", "stdout", "aside"),
    [
        ([ev.Output("He"), ev.Output("llo."), USAGE, ended("Hello.")], "Hello.\n", []),
        ([ev.Output("Let me look."), USAGE, CALL, RESULT, ev.Output("Two."), USAGE, ended("Two.")],
         "Two.\n", ["Let me look."]),
        ([ev.Output("half"), ev.Retrying("cut", 0, 1), ev.Output("Whole."), USAGE,
          ended("Whole.")], "Whole.\n", ["cut"]),
        ([ev.Output("wrong"), USAGE, ev.Output("{}"), USAGE, ended("{}")], "{}\n", ["wrong"]),
        ([ev.Output("wrong"), USAGE, ended("wrong", "failed")], "", ["wrong"]),
        ([ev.Output("half of it"), ev.Interrupted("t")], "", ["half of it", "interrupted"]),
        ([ev.Output("half of it"), ev.Failure("no", "", 1, "t")], "", ["half of it", "error: no"]),
        ([USAGE, CALL, RESULT, ended("By a tool.")], "By a tool.\n", []),
        ([ev.Output("1."), USAGE, ended("1."), ev.Output("2."), USAGE, ended("2.")],
         "1.\n2.\n", []),
    ],
)  # fmt: skip
def test_stdout_is_given_the_answer_alone(
    events: Sequence[ev.Event], stdout: str, aside: Sequence[str],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    out, err = shown(capsys, *events)
    assert out == stdout
    assert [err.count(text) for text in aside] == [1] * len(aside)
    assert sorted(aside, key=err.index) == aside
    assert not any(line in err for line in stdout.splitlines())


def test_nothing_in_an_answer_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = shown(capsys, ev.Output("x"), USAGE, ended("\x1b[31mred\x1b]0;t\x07"))
    assert "\x1b" not in out and "\\x1b[31mred" in out


def test_thinking_ends_before_the_answer_begins(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = AnswerRenderer(AnswerStyle.streamed)
    for event in (ev.Thinking("Called"), ev.Output("It subtracts.")):
        renderer.show_event(event)
    assert capsys.readouterr().err == "Thinking…\n┆ Called\n"
