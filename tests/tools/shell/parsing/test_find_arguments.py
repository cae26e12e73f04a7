"""The words of `find`: where it starts, what narrows it, and what it prints."""

import pytest

from maxagent.tools.shell.parsing.find_arguments import (
    build_find_output,
    find_start_folders,
    has_filter,
)


@pytest.mark.parametrize(
    ("line", "starts"),
    [
        ("", ["."]),
        (". -type f", ["."]),
        ("-type f", ["."]),
        ("src build -name a", ["src", "build"]),
        ("-L src -type f", ["src"]),
        ("a ( -name b )", ["a"]),
        ("a ! -name b", ["a"]),
    ],
)
def test_folders_before_the_expression(line: str, starts: list[str]) -> None:
    assert find_start_folders(line.split()) == starts


@pytest.mark.parametrize(
    ("line", "narrows"),
    [
        (". -type f", False),
        (". -name *", False),
        (". ! -name a", False),
        (". -not -path ./a/*", False),
        (". -name a", True),
        (". -size +1k", True),
        (". -mtime -1", True),
    ],
)
def test_a_filter_selects_some_files(line: str, narrows: bool) -> None:
    assert has_filter(line.split()) is narrows


@pytest.mark.parametrize(
    ("line", "output"),
    [
        (". -type f", ".\n"),
        ("src -name *.py", "src/*.py\n"),
        ("a b -size +1k", "a/found\nb/found\n"),
        (". -exec rm {} ;", None),
        (". -delete", None),
        # what is pruned is not printed beside another action
        (". -name private -prune -o -print", ".\n"),
        (". -name private -prune -o -type f -print0", ".\n"),
        (". -path ./private -prune -o -name *.py -print", "./*.py\n"),
        (". ( -name a -o -name b ) -prune -o -type f -print", ".\n"),
        (". -name a -prune -o -name b -prune -o -type f -print", ".\n"),
        # but here it is
        (". -name private -prune -o -type f", "./private\n"),
        (". -name private -prune -print -o -type f -print", "./private\n"),
        (". -name private -prune , -type f -print", "./private\n"),
        (". -name private -print", "./private\n"),
    ],
)
def test_output_as_far_as_it_is_known(line: str, output: str | None) -> None:
    assert build_find_output(line.split()) == output
