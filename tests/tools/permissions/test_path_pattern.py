import pytest

from maxagent.tools.permissions.path_pattern import path_pattern
from maxagent.tools.permissions.subject import Subject


@pytest.mark.parametrize(
    ("pattern", "name", "covers", "touches"),
    [
        ("src/**", "src/a.py", True, True),
        ("src/**", "src/deep/a.py", True, True),
        ("src/**", "srcs/a.py", False, False),
        ("src/**", "sub/src/a.py", False, False),
        ("src/", "src/a.py", True, True),
        ("src/", "sub/src/a.py", True, True),
        ("src", "src/a.py", False, True),
        ("docs/*", "docs/a.md", True, True),
        ("docs/*", "docs/deep/a.md", False, True),
        ("*.md", "docs/a.md", True, True),
        ("/a.md", "a.md", True, True),
        ("/a.md", "docs/a.md", False, False),
        ("a.md", "docs/a.md", True, True),
        ("**/test_*.py", "tests/deep/test_a.py", True, True),
        ("*.{js,ts}", "web/a.ts", True, True),
        ("src/**", "SRC/a.py", False, True),
        ("Docs/*", "docs/a.md", False, True),
        ("café.txt", "cafe\u0301.txt", False, True),
        ("**", ".", True, True),
        ("./**", "a.py", True, True),
        ("src/**", ".", False, False),
    ],
)
def test_allowing_meets_the_file_and_refusing_the_folders_above_it_too(
    pattern: str, name: str, covers: bool, touches: bool
) -> None:
    read, file = path_pattern(pattern), Subject((name,))
    assert (read.covers(file), read.touches(file)) == (covers, touches)


def test_both_names_of_a_linked_file_are_compared() -> None:
    linked = Subject(("src/link.py", "other/real.py"))
    inside, outside = path_pattern("src/**"), path_pattern("other/**")
    assert not inside.covers(linked) and not outside.covers(linked)
    assert inside.touches(linked) and outside.touches(linked)


@pytest.mark.parametrize("text", ["../x", "a/../../b", "~/x", "//", "///x", "!x", "a\\b"])
def test_a_pattern_that_means_nothing_in_the_project_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="relative to the project|leads out"):
        path_pattern(text)


@pytest.mark.parametrize(
    ("pattern", "folder", "covers", "touches"),
    [
        ("//home/me/one/a.py", "/home/me/one", True, True),
        ("//home/me/one/a.py", "/home/me/two", False, False),
        ("//home/me/one/**", "/home/me/one", True, True),
        ("//home/me", "/home/me/one", False, True),
        ("//a.py", "/home/me/one", False, False),
        ("//a.py", "/", True, True),
    ],
)
def test_two_slashes_mean_the_whole_machine(
    pattern: str, folder: str, covers: bool, touches: bool
) -> None:
    read, file = path_pattern(pattern), Subject(("a.py",), folder=folder)
    assert (read.covers(file), read.touches(file)) == (covers, touches)
