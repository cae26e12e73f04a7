"""The expression of `find`: which files it hands on, and where it does not go."""

import shlex

import pytest

from maxagent.tools.shell.parsing.find_expression import FindFilter, parse_find


def parse(expression: str, *, start: str = ".", is_piped: bool = True) -> FindFilter:
    def reads(command: object) -> bool:
        return "cat" in str(command)

    return parse_find(shlex.split(expression), start, is_piped=is_piped, reads=reads)


@pytest.mark.parametrize(
    ("expression", "path", "is_read"),
    [
        ("-type f", "./a.py", True),
        ("-type d", "./a.py", False),
        ("-type d,f", "./a.py", True),
        ("-name '*.py'", "./src/a.py", True),
        ("-name '*.py'", "./src/a.js", False),
        ("-name src", "./src/a.py", False),
        ("-iname '*.PY'", "./src/a.py", True),
        ("-path './src/*'", "./src/deep/a.py", True),
        ("-path 'src/*'", "./src/a.py", False),
        ("-wholename './s*'", "./src/a.py", True),
        ("! -name '*.py'", "./a.py", False),
        ("-not -name '*.py' -type f", "./a.js", True),
        ("-name '*.py' -o -name '*.js'", "./a.js", True),
        ("-name '*.py' -or -name '*.js'", "./a.txt", False),
        ("-name '*.py' -a -path './b/*'", "./a.py", False),
        ("( -name a -o -name b ) -type f", "./b", True),
        ("-name a -print -o -name b", "./b", False),
        ("-name '*.py' , -name '*.js' -print", "./a.py", False),
        ("-false -o -true", "./a", True),
        ("-false", "./a", False),
        ("-printf '%p'", "./a", True),
        ("-fprintf out '%p'", "./a", True),
        # what is not known may be true
        ("-size +1k", "./a", True),
        ("! -size +1k", "./a", True),
        ("-size +1k -name b", "./a", False),
        ("-name '[ab]'", "./c", False),
        ("-name '[ab]'", "./a", True),
        ("-name '[!ab]'", "./a", True),
        ("-regex '.*b'", "./a", False),
        ("-regex '.*b'", "./b", True),
        ("-iregex './B'", "./b", True),
        ("-regex './b*'", "./bbb", True),
        (r"-regex '.*\.\(md\|js\)'", "./a.js", True),
        (r"-regex '.*\.\(md\|js\)'", "./a.txt", False),
        (r"-regextype posix-extended -regex '.*\.(md|js)'", "./a.txt", False),
        (r"-regextype posix-extended -regex '.*\.(md|js)'", "./a.md", True),
        ("! -regex './private/.*'", "./private/a", False),
        ("! -regex './private/.*'", "./a", True),
        # not understood
        ("-regex '.*(b)'", "./a", True),
        ("-regextype posix-basic -regex '.*b'", "./a", True),
        ("-regex '[^a]*'", "./a", True),
        ("-regex '*'", "./a", True),
        ("-newer old -o -name b", "./a", True),
        # what is not understood reads all
        ("-frobnicate", "./a", True),
        ("( -name b", "./a", True),
        ("-name b )", "./a", True),
        ("-name b -o", "./a", True),
        ("-name b ,", "./a", True),
        ("-maxdepth x -name b", "./a", True),
    ],
)
def test_files_that_an_expression_hands_on(expression: str, path: str, is_read: bool) -> None:
    assert parse(expression).reads(path) is is_read


@pytest.mark.parametrize(
    ("expression", "is_read"),
    [
        ("-exec cat {} +", True),
        ("-exec cat {} ;", True),
        ("-name b -exec cat {} +", False),
        ("-exec chmod +x {} +", False),
        ("-exec chmod +x {} + -exec cat {} +", True),
        ("-exec false {} ; -exec cat {} ;", True),
        ("-name b -exec true {} ; -o -exec cat {} ;", True),
        ("-exec cat {}", True),
        ("-type f -print", False),
        ("-type f", False),
    ],
)
def test_without_a_pipe_only_actions_read(expression: str, is_read: bool) -> None:
    assert parse(expression, is_piped=False).reads("./a") is is_read


@pytest.mark.parametrize(
    ("expression", "folder", "is_skipped"),
    [
        ("-name private -prune -o -print", "./private", True),
        ("-name private -prune -o -print", "./private2", False),
        ("-path ./private -prune -o -type f -print", "./private", True),
        ("-path private -prune -o -print", "./private", False),
        ("-type d -name private -prune -o -print", "./private", True),
        ("-type f -name private -prune -o -print", "./private", False),
        ("( -name a -o -name private ) -prune -o -print", "./private", True),
        ("! -name src -prune -o -print", "./private", True),
        ("-depth -name private -prune -o -print", "./private", False),
        ("-name private -prune -o -delete", "./private", False),
        ("-size +9 -name private -prune -o -print", "./private", False),
        ("-name private -print -prune", "./private", True),
        ("-true -o -name private -prune", "./private", False),
        ("-name private -odd -prune -o -print", "./private", False),
        ("-maxdepth 1 -type f", "./src", True),
        ("-maxdepth 2 -type f", "./src", False),
        ("-maxdepth 2 -type f", "./src/deep", True),
        ("-maxdepth 0", ".", True),
        ("-maxdepth 1", ".", False),
    ],
)
def test_folders_where_find_does_not_go(expression: str, folder: str, is_skipped: bool) -> None:
    assert parse(expression).skips_folder(folder) is is_skipped


@pytest.mark.parametrize(
    ("start", "path", "depth_of_one"),
    [
        (".", "./a", True),
        (".", "./src/a", False),
        ("src", "src/a", True),
        ("src", "src/b/a", False),
        ("/w/src", "/w/src/a", True),
        ("./src", "./src/b/a", False),
    ],
)
def test_depth_counts_from_the_start(start: str, path: str, depth_of_one: bool) -> None:
    assert parse("-maxdepth 1", start=start).reads(path) is depth_of_one


def test_find_ignores_nothing() -> None:
    assert not parse("-name '*.py'").takes_in("./a.py")
