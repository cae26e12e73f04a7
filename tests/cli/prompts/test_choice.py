import io

import pytest
import typer
from typer.testing import CliRunner

from maxagent.cli.prompts import choice
from maxagent.cli.prompts.choice import choose
from maxagent.cli.prompts.choice_keys import Choice
from maxagent.cli.rendering.console import open_console

from .test_choice_list import ASKS, WORKS, open_terminal

CALL = [Choice("yes", "Yes"), Choice("always", "Always", needs_enter=True), Choice("no", "No")]
REVIEW = [Choice("keep", "Keep"), Choice("remark", "Changes", needs_text=True)]
NAMES = [Choice("red", "red", letter=""), Choice("", "Another", needs_text=True, letter="")]


@pytest.mark.parametrize(
    ("choices", "typed", "answer"),
    [
        (CALL, "yes", ("yes", "")),
        (CALL, " ALWAYS ", ("always", "")),
        (CALL, "no", ("no", "")),
        (CALL, "yes but use tabs", ("no", "yes but use tabs")),
        (CALL, "y\n1\n\nyes", ("yes", "")),
        (CALL, "用制表符", ("no", "用制表符")),
        (REVIEW, "remark\nshorter", ("remark", "shorter")),
        (NAMES, "1", ("red", "")),
        (NAMES, "7", ("", "7")),
    ],
)
def test_whole_word_answers_and_text_is_the_no(monkeypatch, choices, typed, answer) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
    reply = choose(open_console(), "Sure?", choices)
    assert (reply.word, reply.text) == answer


def test_rows_and_words_are_shown(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nyes\n"))
    choose(open_console(), "Sure?", CALL)
    err = capsys.readouterr().err
    assert err.startswith("Sure?\n  1 Yes\n  2 Always\n  3 No\n")
    assert err.count("Type the whole word (yes, always, no)") == 2
    assert "Type the whole word.\n" in err


@pytest.mark.parametrize("typed", ["", "y\n", "y\n" * 500])
def test_pipe_without_an_answer_leaves_it_open(monkeypatch, typed) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    with pytest.raises(EOFError):
        choose(open_console(), "Sure?", CALL)


@pytest.mark.parametrize("before", ["keep\nI would ", "I would "])
def test_sentence_at_dumb_terminal_is_never_consent(tmp_path, before) -> None:
    with open_terminal(tmp_path, WORKS + ASKS, TERM="dumb") as terminal:
        terminal.wait_for("working")
        terminal.type(before).wait_for("I would")
        (tmp_path / "done").touch()
        terminal.wait_for("Type the whole word (")
        terminal.type("keep\n").wait_for("got no 'I would keep'")


app = typer.Typer()


@app.command()
def agreed() -> None:
    typer.echo(choice.confirm("Go on?"))


@app.command()
def number() -> None:
    typer.echo(choice.ask_number("Which?"))


@app.command()
def abandons() -> None:
    typer.echo(choice.confirm_abandon("thread `x` was cut short"))


@pytest.mark.parametrize("command", ["agreed", "number", "abandons"])
def test_leaving_a_question_ends_the_command_as_interrupted(command: str) -> None:
    result = CliRunner().invoke(app, [command], input="")
    assert (result.exit_code, result.stdout.strip()) == (130, "")


@pytest.mark.parametrize(
    ("command", "typed", "expected"),
    [
        ("agreed", "yes", True),
        ("agreed", "no", False),
        ("agreed", "y\nno, why?", False),
        ("number", "3", 3),
        ("number", "three\n3", 3),
        ("abandons", "abandon", True),
        ("abandons", "resume", False),
    ],
)
def test_an_answer_is_what_was_typed(command: str, typed: str, expected: object) -> None:
    answered = CliRunner().invoke(app, [command], input=f"{typed}\n")
    assert (answered.exit_code, answered.stdout.split("\n")[-2]) == (0, str(expected))


@pytest.mark.parametrize(
    ("command", "typed", "text"),
    [
        ("agreed", "?\nno", "Type the whole word.\n"),
        ("number", "x", "press Ctrl-D to cancel"),
        ("abandons", "abandon", "thread `x` was cut short\n"),
    ],
)
def test_a_question_says_what_is_expected(command: str, typed: str, text: str) -> None:
    assert text in CliRunner().invoke(app, [command], input=f"{typed}\n").stderr
