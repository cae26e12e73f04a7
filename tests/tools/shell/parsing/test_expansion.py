from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.shell.parsing.expansion import (
    MAX_WORDS,
    ExpansionLimitError,
    expand_braces,
    expand_glob,
)


@pytest.mark.parametrize(
    ("word", "arguments"),
    [
        ("a", ["a"]),
        ("{a,b}", ["a", "b"]),
        ("x{a,b}y{1,2}", ["xay1", "xay2", "xby1", "xby2"]),
        ("{a,{b,c}}", ["a", "b", "c"]),
        ("{1..3}", ["1", "2", "3"]),
        ("{c..a}", ["c", "b", "a"]),
        ("{1..9..4}", ["1", "5", "9"]),
        ("{a,}b", ["ab", "b"]),
        ("{}", ["{}"]),
        ("{a}", ["{a}"]),
        ("{a", ["{a"]),
        ("\\{a,b}", ["\\{a,b}"]),
        ("${a,b}", ["${a,b}"]),
    ],
)
def test_braces_expand_as_in_bash(word: str, arguments: list[str]) -> None:
    assert expand_braces(word) == arguments


@pytest.mark.parametrize("word", ["{1..999}", "{a,b}" * 9, "{a," * 50 + "}" * 50])
def test_nobody_waits_for_too_many_words(word: str) -> None:
    with pytest.raises(ExpansionLimitError):
        expand_braces(word)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*", ["a.py", "b.py", "sub"]),
        (".*", [".env"]),
        ("*.py", ["a.py", "b.py"]),
        ("[!a]*.py", ["b.py"]),
        ("[[:alpha:]].py", ["a.py", "b.py"]),
        ("?.py", ["a.py", "b.py"]),
        ("*/", ["sub/"]),
        ("*/c", ["sub/c"]),
        ("./a*", ["./a.py"]),
        ("sub/../*.py", ["sub/../a.py", "sub/../b.py"]),
        (".e\\*", []),
        ("nothing*", []),
    ],
)
def test_patterns_meet_what_bash_would_find(pattern: str, names: list[str], tmp_path: Path) -> None:
    for name in ("a.py", "b.py", ".env"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c").touch()
    assert expand_glob(pattern, tmp_path) == names


def test_folder_with_too_many_files_is_not_listed(tmp_path: Path) -> None:
    for number in range(MAX_WORDS + 1):
        (tmp_path / str(number)).touch()
    with pytest.raises(ExpansionLimitError):
        expand_glob("*", tmp_path)


@given(st.text(alphabet="ab{},.\\*?[]!^-/:", max_size=40))
def test_any_pattern_can_be_tried(word: str) -> None:
    try:
        for brace in expand_braces(word):
            expand_glob(brace, Path("/nowhere"))
    except ExpansionLimitError:
        pass
