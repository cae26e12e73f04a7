import pytest

from maxagent.tools.shell.parsing.syntax_tree import ParseError, parse_tree
from maxagent.tools.shell.parsing.words import (
    is_ansi_string,
    mask_parts,
    parse_word,
    strip_mask,
    to_literal,
)


def only_word(line: str) -> str | None:
    command = parse_tree(line).children[0]
    return to_literal(parse_word(command.children[1:]))


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
    parts = parse_word(parse_tree("x '*a'\"{b,c}\"'\\\\'").children[0].children[1:])
    assert strip_mask(mask_parts(parts)) == "*a{b,c}\\\\"


@pytest.mark.parametrize("written", ["'a", '"a', "$'a\\'", "$'"])
def test_an_open_quote_is_no_word(written: str) -> None:
    with pytest.raises(ParseError):
        parse_word([parse_tree(written).children[0]])


def test_quoted_dollar_before_quote_is_literal() -> None:
    assert only_word("x \"$'a'\"") == "$'a'"


@pytest.mark.parametrize(
    ("written", "full_text"),
    [("$'a'", True), ("$'\\\\'", True), ("$'\\''", True), ("$''", True)]
    + [("$'a\\'", False), ("$'\\\\' x '", False), ("'a'", False), ("$'a' 'b'", False)],
)
def test_ansi_string_ends_at_first_unescaped_quote(written: str, full_text: bool) -> None:
    assert is_ansi_string(written) == full_text
