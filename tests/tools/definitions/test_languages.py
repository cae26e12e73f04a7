import pytest

from maxagent.tools.definitions.languages import find_language


@pytest.mark.parametrize(
    ("name", "source", "language"),
    [
        ("a/b.py", "", "Python"),
        ("a/B.PY", "", "Python"),
        ("a.d.ts", "", "TypeScript"),
        ("a.tsx", "", "TSX"),
        ("a.h", "int f(void);", "C"),
        ("a.h", "#pragma once\nnamespace a {}", "C++"),
        ("a.c", "class x", "C"),
        ("Makefile", "", ""),
        (".py", "", ""),
        ("folder.py/x", "", ""),
    ],
)
def test_the_language_follows_from_the_name(name: str, source: str, language: str) -> None:
    assert find_language(name, source) == language
