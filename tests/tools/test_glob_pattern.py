"""Patterns mean what people and models expect of them."""

import pytest

from maxagent.tools.glob_pattern import compile_glob
from maxagent.tools.result import ToolError


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("", "a/b.py", True),
        ("*.py", "a.py", True),
        ("*.py", "deep/er/a.py", True),
        ("*.py", "a.pyc", False),
        ("./*.py", "a.py", True),
        ("./*.py", "deep/a.py", False),
        ("/*.py", "deep/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/*.py", "lib/src/a.py", False),
        ("src/*", "src/deep/a.py", False),
        ("src/", "src/deep/a.py", True),
        ("src/", "lib/src/a.py", True),
        ("src/**", "src/deep/a.py", True),
        ("src/**", "src", False),
        ("*/**", "a.py", False),
        ("*/**", "x/a.py", True),
        ("**/lib/**", "lib", False),
        ("**/lib/**", "x/lib/a.py", True),
        ("**/*/**", "a.py", False),
        ("{a,b}/**", "b", False),
        ("src/**/a.py", "src/a.py", True),
        ("src/**/a.py", "src/x/y/a.py", True),
        ("**/test_*.py", "test_a.py", True),
        ("**/test_*.py", "x/test_a.py", True),
        ("**/x/**/y", "x/y", True),
        ("**/x/**/y", "a/x/b/c/y", True),
        ("**/x/**/y", "a/b/c/y", False),
        ("**", "a/b", True),
        ("*.{ts,tsx}", "a.tsx", True),
        ("*.{ts,tsx}", "a.js", False),
        ("{src,lib/{a,b}}/*.c", "lib/b/x.c", True),
        ("{src,lib/{a,b}}/*.c", "lib/c/x.c", False),
        ("{a}", "{a}", True),
        ("file[0-9].txt", "file7.txt", True),
        ("file[!0-9].txt", "file7.txt", False),
        ("?.py", "ab.py", False),
        ("*", ".hidden", True),
        ("*.PY", "a.py", False),
        ("a*b", "a\nb", True),
        ("文*", "文件", True),
    ],
)
def test_what_a_pattern_fits(pattern: str, path: str, fits: bool) -> None:
    assert compile_glob(pattern)(path) is fits


@pytest.mark.parametrize("pattern", ["../*.py", "src/../../x", "{a,b}" * 8])
def test_pattern_that_escapes_or_explodes_is_refused(pattern: str) -> None:
    with pytest.raises(ToolError):
        compile_glob(pattern)


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*a" * 60 + "b", "a" * 255), ("**/a/" * 60 + "b", "a/" * 1000 + "c")],
)
def test_no_pattern_hangs(pattern: str, path: str) -> None:
    assert not compile_glob(pattern)(path)
