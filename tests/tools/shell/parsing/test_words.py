import pytest

from maxagent.tools.shell.parsing.syntax_tree import Unparsed, tree
from maxagent.tools.shell.parsing.words import is_ansi_string, literal, masked, pieces, unmasked


def only_word(line: str) -> str | None:
    command = tree(line).children[0]
    return literal(pieces(command.children[1:]))


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("'a b'", "a b"),
        ('a"b"c', "abc"),
        ("a\\ b", "a b"),
        ('"a\\b\\$\\""', 'a\\b$"'),
        ("$'a\\tb\\x41\\101\\u00e9\\'\\cA'", "a\tbAA\xe9'\x01"),
        ("$'a\\0b'", "a"),
        ("HEAD@{1}", "HEAD@{1}"),
        ("HEAD~2", "HEAD~2"),
        ("'*'\\?\"[a]\"", "*?[a]"),
        ("\\~", "~"),
        ("'{a,b}'", "{a,b}"),
        ("{}", "{}"),
        ("a[b", "a[b"),
        ("中'文'", "中文"),
        ("''", ""),
    ],
)
def test_quotes_are_taken_away(written: str, word: str) -> None:
    assert only_word("x " + written) == word


@pytest.mark.parametrize(
    "written",
    ["*", "a?", "[ab]", "~", "~x/y", "{a,b}", "{1..3}", "$x", '"$x"', "`x`", "$(x)", "${x}"],
)
def test_what_the_shell_expands_is_no_literal(written: str) -> None:
    assert only_word("x " + written) is None


def test_a_mask_is_taken_off_again() -> None:
    parts = pieces(tree("x '*a'\"{b,c}\"'\\\\'").children[0].children[1:])
    assert unmasked(masked(parts)) == "*a{b,c}\\\\"


@pytest.mark.parametrize("written", ["'a", '"a', "$'a\\'", "$'"])
def test_an_open_quote_is_no_word(written: str) -> None:
    with pytest.raises(Unparsed):
        pieces([tree(written).children[0]])


def test_a_dollar_before_a_quote_is_a_sign_between_quotes() -> None:
    assert only_word("x \"$'a'\"") == "$'a'"


@pytest.mark.parametrize(
    ("written", "whole"),
    [("$'a'", True), ("$'\\\\'", True), ("$'\\''", True), ("$''", True)]
    + [("$'a\\'", False), ("$'\\\\' x '", False), ("'a'", False), ("$'a' 'b'", False)],
)
def test_an_ansi_string_ends_at_the_first_free_quote(written: str, whole: bool) -> None:
    assert is_ansi_string(written) == whole
