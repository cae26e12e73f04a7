import pytest
import typer
from typer.testing import CliRunner

from maxagent.cli.prompts import choice

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
    left = CliRunner().invoke(app, [command], input="")
    assert (left.exit_code, left.stdout.strip()) == (130, "")


@pytest.mark.parametrize(
    ("command", "typed", "meant"),
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
def test_an_answer_is_what_was_typed(command: str, typed: str, meant: object) -> None:
    answered = CliRunner().invoke(app, [command], input=f"{typed}\n")
    assert (answered.exit_code, answered.stdout.split("\n")[-2]) == (0, str(meant))


@pytest.mark.parametrize(
    ("command", "typed", "said"),
    [
        ("agreed", "?\nno", "Type the whole word.\n"),
        ("number", "x", "press Ctrl-D to cancel"),
        ("abandons", "abandon", "thread `x` was cut short\n"),
    ],
)
def test_a_question_says_what_is_expected(command: str, typed: str, said: str) -> None:
    assert said in CliRunner().invoke(app, [command], input=f"{typed}\n").stderr
