import pytest
from typer.testing import CliRunner

from maxagent.cli.app import app
from maxagent.cli.default_command import (
    insert_chat,
    move_messages_behind_options,
    move_options_behind_command,
)
from maxagent.config.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "expected"),
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
        ("-p words", "chat -p words"),
        ("修好测试", "chat 修好测试"),
        ("--lang zh 修好测试 --plan", "--lang zh chat 修好测试 --plan"),
    ],
)
def test_options_without_command_belong_to_chat(typed: str, expected: str) -> None:
    flags = ("-h", "--help", "--version")
    assert insert_chat(typed.split(), flags, ("--lang",)) == expected.split()


def test_a_request_without_a_command_is_a_chat() -> None:
    assert insert_chat(["fix the bug", "--plan"], (), ()) == ["chat", "fix the bug", "--plan"]


def test_bare_options_reach_the_conversation() -> None:
    result = CliRunner().invoke(app, ["--plan", "--output", "json"], input="")
    assert (result.exit_code, "no message given" in str(result.exception)) == (1, True)
    unknown = CliRunner().invoke(app, ["--nonsense"])
    assert unknown.exit_code == 2 and "No such option: --nonsense" in unknown.stderr


def test_one_unknown_word_is_no_request() -> None:
    assert "No such command 'fix'" in CliRunner().invoke(app, ["fix"]).stderr


@pytest.mark.parametrize("flag", ["-p", "--print"])
def test_print_never_opens_a_conversation(flag: str) -> None:
    result = CliRunner().invoke(app, [flag], input="")
    assert isinstance(result.exception, UsageError) and "no message given" in str(result.exception)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("-m a/b task words", "task -m a/b words"),
        ("--model=a/b task words", "task --model=a/b words"),
        ("--lang zh -m a/b edit x.py", "--lang zh edit -m a/b x.py"),
        ("-C there --mode auto resume x1", "resume -C there --mode auto x1"),
        ("-m a/b -p task", "task -m a/b -p"),
        ("-m task words", "-m task words"),
        ("-m a/b words", "-m a/b words"),
        ("-m a/b -- task", "-m a/b -- task"),
        ("task -m a/b", "task -m a/b"),
        ("-m a/b", "-m a/b"),
    ],
)
def test_options_before_a_command_belong_to_it(typed: str, expected: str) -> None:
    flags, commands = ("-h", "--help", "--version"), ("task", "edit", "resume", "chat")
    moved = move_options_behind_command(typed.split(), flags, ("--lang",), commands)
    assert moved == expected.split()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["-p", "- item"], ["-p", "--", "- item"]),
        (["- item", "-m", "a/b", "-p"], ["-m", "a/b", "-p", "--", "- item"]),
        (["-1 is wrong"], ["--", "-1 is wrong"]),
        (["--- a/x.py\n+++ b/x.py"], ["--", "--- a/x.py\n+++ b/x.py"]),
        (["-> look at this"], ["--", "-> look at this"]),
        (["--verbose is broken"], ["--verbose is broken"]),
        (["--max-cost 5"], ["--max-cost 5"]),
        (["-", "x y"], ["-", "x y"]),
        (["--\x1b[31m x"], ["--\x1b[31m x"]),
        (["--\u4e2d x"], ["--\u4e2d x"]),
        (["-_ x"], ["-_ x"]),
        (["-m", "- item", "word"], ["-m", "- item", "word"]),
        (["--model=a b"], ["--model=a b"]),
        (["-ma b"], ["-ma b"]),
        (["x", "--", "- item"], ["x", "--", "- item"]),
        (["- item", "--", "x"], ["--", "- item", "x"]),
        (["-p", "words"], ["-p", "words"]),
    ],
)
def test_message_may_begin_with_a_dash(typed: list[str], expected: list[str]) -> None:
    options = {"-p": False, "-m": True, "--model": True, "--verbose": False}
    assert move_messages_behind_options(typed, options) == expected
