import io
import os
import signal
from functools import partial

import pytest
import typer

from maxagent.cli.repl.prompt.dumb_prompt import PlainPrompt
from maxagent.cli.repl.prompt.protocol import LeaveRepl, Unanswered


def test_lines_are_read_with_those_that_a_backslash_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("one\ntwo\\\nthree\\\nfour\nlast\\\n"))
    prompt = PlainPrompt()
    assert [prompt.read(), prompt.read()] == ["one", "two\nthree\nfour"]
    with pytest.raises(Unanswered):
        prompt.read()


async def test_whoever_turns_away_from_a_question_leaves_it_unanswered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    prompt = PlainPrompt()
    assert await prompt.ask(input) == "yes"
    with pytest.raises(Unanswered):
        await prompt.ask(input)
    for turned_away in (KeyboardInterrupt(), EOFError(), typer.Exit(130), typer.Abort()):

        def leaving(error: BaseException = turned_away) -> None:
            raise error

        with pytest.raises(Unanswered):
            await prompt.ask(leaving)


def test_only_what_is_finished_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    prompt = PlainPrompt()
    prompt.above("a line\n")
    prompt.tail("half a li")
    prompt.sent("typed")
    prompt.signal("\x1b]0;title\a")
    assert capfd.readouterr() == ("a line\n", "")


async def test_when_the_machine_goes_down_nobody_waits_for_an_answer() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(LeaveRepl):
        await PlainPrompt().ask(partial(os.kill, os.getpid(), signal.SIGTERM))
    assert signal.getsignal(signal.SIGTERM) is before
