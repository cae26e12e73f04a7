import pytest

from maxagent.cli.repl.prompt.input_line import parse_line, strip_continuation


@pytest.mark.parametrize(
    "typed, kind, text",
    [
        ("", "empty", ""),
        (" \n ", "empty", ""),
        ("hello", "message", "hello"),
        ("  hello\n  there ", "message", "hello\n  there"),
        ("/help", "slash", "/help"),
        ("/model openai/gpt", "slash", "/model openai/gpt"),
        ("/git:review\n1", "slash", "/git:review\n1"),
        ("/", "slash", "/"),
        ("/?", "slash", "/?"),
        ("/etc/hosts is wrong", "message", "/etc/hosts is wrong"),
        ("/*comment*/", "message", "/*comment*/"),
        ("!git status", "shell", "git status"),
        ("／help", "slash", "/help"),
        ("！git status", "shell", "git status"),
        ("！！ls", "sandboxed", "ls"),
        ("＃ 使用制表符", "note", "使用制表符"),
        ("＠a.py 解释", "message", "@a.py 解释"),
        ("很好！", "message", "很好！"),
        ("退出", "slash", "/exit"),
        ("! git status", "shell", "git status"),
        ("!", "empty", ""),
        ("!!npm test", "sandboxed", "npm test"),
        (" !! npm test ", "sandboxed", "npm test"),
        ("!!", "empty", ""),
        ("!!!", "sandboxed", "!"),
        ("!!important\nbecause", "message", "!!important\nbecause"),
        ("!important\nbecause", "message", "!important\nbecause"),
        ("# tabs", "note", "tabs"),
        ("# ", "note", ""),
        ("#", "note", ""),
        ("#12 is fixed", "message", "#12 is fixed"),
        ("# Title\n\ntext", "message", "# Title\n\ntext"),
    ],
)
def test_what_a_line_means(typed: str, kind: str, text: str) -> None:
    assert parse_line(typed) == (kind, text)


@pytest.mark.parametrize(
    "typed, begun",
    [("a\\", "a"), ("\\", ""), ("a\\\\\\", "a\\\\"), ("a", None), ("a\\\\", None), ("", None)],
)
def test_backslash_continues_line_unless_escaped(typed: str, begun: str | None) -> None:
    assert strip_continuation(typed) == begun
