import pytest

from maxagent.tools.permissions.command_pattern import parse_command_pattern
from maxagent.tools.permissions.subject import Subject


def command(*arguments: str, literal: bool = True, line: str = "") -> Subject:
    return Subject(arguments, literal, line or " ".join(arguments))


@pytest.mark.parametrize(
    ("pattern", "text", "covers", "touches"),
    [
        ("git diff:*", "git diff", True, True),
        ("git diff:*", "git diff --stat HEAD", True, True),
        ("git diff *", "git diff --stat", True, True),
        ("git diff *", "git diff", True, True),
        ("git diff:*", "git difftool", False, False),
        ("git diff:*", "git", False, False),
        ("git diff:*", "git log diff", False, False),
        ("git diff:*", "git -C sub diff", False, True),
        ("git diff:*", "git --no-pager diff", False, True),
        ("git diff:*", "/usr/bin/git diff", False, True),
        ("/usr/bin/git diff:*", "/usr/bin/git diff", True, True),
        ("/usr/bin/git diff:*", "git diff", False, False),
        ("git:*", "git push", True, True),
        ("git push:*", "/usr/lib/git-core/git-push -f", False, True),
        ("git push:*", "GIT push", False, True),
        ("rm -f:*", "rm -r -f x", False, True),
        ("rm:*", "rmdir x", False, False),
        ("make test", "make test", True, True),
        ("make test", "make test all", False, False),
        ("make test", "/usr/bin/make test", False, True),
        ("make", "make test", False, False),
        ("npm run test:*", "npm run test", True, True),
        ("npm run test:*", "npm run test:unit", False, False),
    ],
)
def test_allowing_matches_exactly_and_refusing_matches_wider(
    pattern: str, text: str, covers: bool, touches: bool
) -> None:
    read, value = parse_command_pattern(pattern), command(*text.split())
    assert (read.matches_strictly(value), read.matches_loosely(value)) == (covers, touches)


@pytest.mark.parametrize(
    ("pattern", "arguments", "touches"),
    [
        ("git push:*", ("$GIT", "push"), None),
        ("git push:*", ("git", "$WHAT"), None),
        ("git push --force:*", ("git", "$WORDS"), None),
        ("git push:*", ("git", "push", "$WHERE"), True),
        ("git push:*", ("git", "log", "$WHAT"), False),
        ("git push:*", ("python", "$WHAT"), False),
        ("git push:*", ("git", "log"), False),
        ("git push:*", ("git", "p{ush,ull}"), None),
        ("rm x", ("rm", "*"), None),
    ],
)
def test_possible_refused_command_is_undecided(
    pattern: str, arguments: tuple[str, ...], touches: bool | None
) -> None:
    value = command(*arguments, literal=False)
    assert parse_command_pattern(pattern).matches_loosely(value) is touches


def test_quotes_in_pattern_follow_the_shell() -> None:
    pattern = parse_command_pattern("git commit -m 'a *':*")
    assert pattern.matches_strictly(command("git", "commit", "-m", "a *", "--all"))
    assert parse_command_pattern(r"grep a\*b x").matches_strictly(command("grep", "a*b", "x"))


def test_line_of_several_commands_matches_as_written() -> None:
    pattern, line = parse_command_pattern("make && make test"), "make && make test"
    assert pattern.matches_strictly(command("make", line=line)) and pattern.matches_loosely(
        command("x", line=line)
    )
    assert not pattern.matches_strictly(command("make", line="make && make clean"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("git * main", "quotes"),
        ("npm run test*", "quotes"),
        ("*.sh", "quotes"),
        ("git diff && rm:*", "without operators"),
        ("echo $HOME:*", "without operators"),
        ("echo 'x", "closing quotation"),
        (":*", "not name a command"),
        ("''", "not name a command"),
    ],
)
def test_misleading_pattern_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"(?i){sentence}"):
        parse_command_pattern(text)
