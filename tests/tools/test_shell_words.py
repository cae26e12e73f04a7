import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.shell_words import pieces, plain_words, split


@pytest.mark.parametrize(
    ("command", "commands", "targets"),
    [
        ("ls -l", [("ls", "-l")], []),
        ("a;b&&c||d|e&f\ng", [(letter,) for letter in "abcdefg"], []),
        ("echo 'a;b' \"c|d\" e\\;f", [("echo", "a;b", "c|d", "e;f")], []),
        ("echo a >out 2>&1 <in", [("echo", "a", "2")], ["out", "1", "in"]),
        ("(cd x; r''m -rf y)", [("cd", "x"), ("rm", "-rf", "y")], []),
        ("rm \\\n -rf x", [("rm", "-rf", "x")], []),
        ("echo # no comment", [("echo", "#", "no", "comment")], []),
        ("echo 'unfinished; rm x", [("echo", "'unfinished"), ("rm", "x")], []),
    ],
)
def test_a_line_is_cut_into_commands_and_targets(
    command: str, commands: list[tuple[str, ...]], targets: list[str]
) -> None:
    words = split(command)
    assert (list(words.commands), list(words.targets)) == (commands, targets)


def test_what_stands_behind_a_sign_is_a_word_too() -> None:
    assert {"--file=a", "a", "HEAD:b", "b", "@c", "c"} <= set(split("x --file=a HEAD:b @c").words)


def test_pieces_are_found_inside_quotes_and_substitutions() -> None:
    assert {".env", "cat", "open"} <= pieces('x "$(cat .env)"; python -c "open(\'.env\')"')


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("git status", ["git", "status"]),
        ("pytest -k 'a and b' --x=1", ["pytest", "-k", "a and b", "--x=1"]),
        ("", None),
        ("echo 'unfinished", None),
        *[(f"git status{sign}", None) for sign in ";|&<>`$()\n\r\t*?[]{}~!#\\^\0é\u202e"],
    ],
)
def test_only_a_simple_command_has_plain_words(command: str, words: list[str] | None) -> None:
    assert plain_words(command) == words


@given(st.text(alphabet=st.sampled_from("ab '\"\\\n;|&<>()$`#=x")))
def test_any_text_can_be_cut_and_plain_words_are_all_of_it(command: str) -> None:
    split(command)
    pieces(command)
    words = plain_words(command)
    assert words is None or words == shlex.split(command)
