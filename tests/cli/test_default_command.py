import pytest
from typer.testing import CliRunner

from maxagent.cli.app import app
from maxagent.cli.default_command import with_chat
from maxagent.config.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", ""),
        ("-c", "chat -c"),
        ("--plan -m a/b", "chat --plan -m a/b"),
        ("--lang zh --plan", "--lang zh chat --plan"),
        ("--lang=zh -c", "--lang=zh chat -c"),
        ("--lang zh", "--lang zh"),
        ("-h", "-h"),
        ("--version", "--version"),
        ("task --plan", "task --plan"),
        ("--lang zh threads list", "--lang zh threads list"),
        ("-", "-"),
        ("-- words", "chat -- words"),
    ],
)
def test_options_without_a_command_are_those_of_a_conversation(typed: str, meant: str) -> None:
    flags = ("-h", "--help", "--version")
    assert with_chat(typed.split(), flags, ("--lang",)) == meant.split()


def test_bare_options_reach_the_conversation() -> None:
    said = CliRunner().invoke(app, ["--plan", "--output", "json"], input="")
    assert (said.exit_code, "nothing was said" in str(said.exception)) == (1, True)
    unknown = CliRunner().invoke(app, ["--nonsense"])
    assert unknown.exit_code == 2 and "No such option: --nonsense" in unknown.stderr


@pytest.mark.parametrize("request_", ["fix the bug", "修好测试"])
def test_a_request_in_the_place_of_a_command_is_told_which_ones_take_it(request_: str) -> None:
    said = CliRunner().invoke(app, [request_])
    assert isinstance(said.exception, UsageError) and "mcode task" in said.exception.hint
    assert "No such command 'fix'" in CliRunner().invoke(app, ["fix"]).stderr
