import io
import os
import signal
from functools import partial

import pytest
import typer

from maxagent.cli.repl.prompt.dumb_prompt import PlainPrompt
from maxagent.cli.repl.prompt.protocol import PromptAborted, ReplExit


def test_line_is_read_with_its_backslash_continuations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("one\ntwo\\\nthree\\\nfour\nlast\\\n"))
    prompt = PlainPrompt()
    assert [prompt.read_line(), prompt.read_line()] == ["one", "two\nthree\nfour"]
    with pytest.raises(PromptAborted):
        prompt.read_line()


async def test_aborted_question_raises_prompt_aborted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    prompt = PlainPrompt()
    assert await prompt.ask_question(input) == "yes"
    with pytest.raises(PromptAborted):
        await prompt.ask_question(input)
    for turned_away in (KeyboardInterrupt(), EOFError(), typer.Exit(130), typer.Abort()):

        def leaving(error: BaseException = turned_away) -> None:
            raise error

        with pytest.raises(PromptAborted):
            await prompt.ask_question(leaving)


def test_only_what_is_finished_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    prompt = PlainPrompt()
    prompt.print_above("a line\n")
    prompt.show_tail("half a li")
    prompt.echo_line("typed")
    prompt.send_escape_codes("\x1b]0;title\a")
    assert capfd.readouterr() == ("a line\n", "")


async def test_sigterm_ends_a_waiting_question() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(ReplExit):
        await PlainPrompt().ask_question(partial(os.kill, os.getpid(), signal.SIGTERM))
    assert signal.getsignal(signal.SIGTERM) is before
