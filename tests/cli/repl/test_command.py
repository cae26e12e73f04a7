"""`mcode chat`: what it refuses before it does anything, and how `--resume` stands alone."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from maxagent.cli.app import app
from maxagent.cli.repl.command import ChatCommand
from maxagent.config.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(*arguments: str, piped: str = "") -> UsageError:
    """Why it is not done."""
    ended = CliRunner().invoke(app, ["chat", *arguments], input=piped)
    assert isinstance(ended.exception, UsageError), ended.output
    return ended.exception


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "no message given"),
        (("--output", "json"), "no message given"),
        (("hi", "-c", "--resume", "x"), "cannot be used together"),
        (("hi", "-c"), "no conversations in"),
        (("hi", "--resume"), "needs a terminal"),
        (("hi", "--resume", "nothing"), "no thread `nothing`"),
        (("hi", "--fork"), "no conversation to fork given"),
        (("hi", "-c", "--no-history"), "cannot be used with an existing conversation"),
        (("hi", "--json-schema", "none.json"), "`none.json` cannot be read"),
        (("hi", "--input", "stream-json"), "messages come from stdin"),
        (("--input", "stream-json"), "there is no output for the answers"),
    ],
)
def test_what_makes_no_sense_is_reported(arguments: Sequence[str], reason: str) -> None:
    error = refused(*arguments)
    assert reason in error.message and error.hint


def test_what_is_piped_must_be_text() -> None:
    assert "is not text" in refused("look", piped="\0\0\0").message


@pytest.mark.parametrize(
    "arguments",
    [
        ("--max-turns", "0"),
        ("--max-turns", "many"),
        ("--max-cost", "0"),
        ("--max-cost", "inf"),
        ("--max-cost", "nan"),
        ("--timeout", "0"),
        ("--timeout", "-1"),
        ("--output", "xml"),
        ("--input", "json"),
    ],
)
def test_invalid_limit_or_format_is_refused(arguments: Sequence[str]) -> None:
    ended = CliRunner().invoke(app, ["chat", "hi", *arguments])
    assert (ended.exit_code, arguments[0] in ended.output) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message", "resume"),
    [
        ((), "", None),
        (("--resume",), "", ""),
        (("--resume", "-c"), "", ""),
        (("hi", "--resume"), "hi", ""),
        (("--resume", "mine"), "", "mine"),
        (("--resume", "mine", "hi"), "hi", "mine"),
        (("--resume=mine", "hi"), "hi", "mine"),
    ],
)
def test_resume_has_a_value_or_none(
    arguments: Sequence[str], message: str, resume: str | None
) -> None:
    door = typer.Typer()
    seen: list[object] = []

    @door.command(cls=ChatCommand)
    def chat(
        message: str = typer.Argument(""),
        resume: str | None = typer.Option(None),
        latest: bool = typer.Option(False, "-c"),
    ) -> None:
        seen.extend((message, resume))

    assert CliRunner().invoke(door, list(arguments)).exit_code == 0
    assert seen == [message, resume]
