import pytest

from maxagent.tools.permissions.path_pattern import parse_path_pattern
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
def test_allowing_matches_file_and_refusing_also_parent_folders(
    pattern: str, name: str, covers: bool, touches: bool
) -> None:
    read, file = parse_path_pattern(pattern), Subject((name,))
    assert (read.matches_strictly(file), read.matches_loosely(file)) == (covers, touches)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("[!a-z]", "A"),
        ("[^a-z]*.py", "Main.py"),
        ("v[!a-z]", "vB/deep/x"),
        ("[^A-Z]akefile", "makefile"),
        ("src/[!m]*/**", "src/Main/a.py"),
        ("[![:lower:]]*", "README"),
        ("*.[!a-z]*", "a.C"),
        ("[!a-z]", "É"),
    ],
)
def test_negated_class_refuses_letters_of_other_case(pattern: str, name: str) -> None:
    assert parse_path_pattern(pattern).matches_loosely(Subject((name,)))


def test_both_names_of_a_linked_file_are_compared() -> None:
    linked = Subject(("src/link.py", "other/real.py"))
    inside, outside = parse_path_pattern("src/**"), parse_path_pattern("other/**")
    assert not inside.matches_strictly(linked) and not outside.matches_strictly(linked)
    assert inside.matches_loosely(linked) and outside.matches_loosely(linked)


@pytest.mark.parametrize("text", ["../x", "a/../../b", "~/x", "//", "///x", "!x", "a\\b"])
def test_pattern_without_meaning_in_project_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="relative to the project|leads out|between folders"):
        parse_path_pattern(text)


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
    read, file = parse_path_pattern(pattern), Subject(("a.py",), folder=folder)
    assert (read.matches_strictly(file), read.matches_loosely(file)) == (covers, touches)
