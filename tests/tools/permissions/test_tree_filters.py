"""Patterns of programs: what they leave out, what they take in."""

import pytest

from maxagent.tools.permissions.tree_filters import (
    DroppedNames,
    LeftOut,
    Manner,
    PatternFilter,
    compile_inclusion,
    parse_dropped,
)


def leaves_out(option: LeftOut, pattern: str, path: str) -> str:
    """What a pattern does to a path: `files`, `folders`, `both` or nothing."""
    hits = [kind for kind, regex in option.compile(pattern) if regex.fullmatch(path)]
    return hits[0] if hits else ""


@pytest.mark.parametrize(
    ("manner", "pattern", "path", "kind"),
    [
        ("name", "private", "a/private", "both"),
        ("name", "private", "privates", ""),
        ("name", "priv*", "a/private", "both"),
        ("name", "private/", "private", "folders"),
        ("name", "a/private", "a/private", ""),
        ("tail", "a/private", "x/a/private", "both"),
        ("tail", "private/", "private", ""),
        ("path", "private", "a/private", ""),
        ("path", "private/*", "private/key.txt", "both"),
        ("gitignore", "private", "a/private", "both"),
        ("gitignore", "/private", "a/private", ""),
        ("gitignore", "a/private", "b/a/private", ""),
        ("gitignore", "**/private/**", "a/private/key.txt", "both"),
        ("gitignore", "{private,build}", "a/build", "both"),
        ("gitignore", "{private,build}/", "build", "folders"),
        ("gitignore", "*.{txt,md}", "a/b.md", "both"),
        ("gitignore", "*.{txt,md}", "a/b.py", ""),
        ("transfer", "/private", "a/private", ""),
        ("transfer", "private/", "a/private", "folders"),
        # not understood: nothing is left out
        ("name", "[p]rivate", "private", "both"),
        ("name", "[!q]rivate", "private", ""),
        ("name", "[o-q]rivate", "private", ""),
        ("name", "{private,build}", "private", ""),
        ("gitignore", "{a,{b,c}}", "b", ""),
        ("path", "", "", ""),
        ("name", "/", "private", ""),
    ],
)
def test_each_manner_compares_as_its_program(
    manner: Manner, pattern: str, path: str, kind: str
) -> None:
    assert leaves_out(LeftOut(manner), pattern, path) == kind


@pytest.mark.parametrize(
    ("option", "pattern", "path", "kind"),
    [
        (LeftOut("name", "files"), "private", "private", "files"),
        (LeftOut("name", "files"), "private/", "private", ""),
        (LeftOut("name", strips=False), "private/", "private", ""),
        (LeftOut("name", folds=True), "PRIVATE", "private", "both"),
        (LeftOut("path", crosses=True), "private/*", "private/deep/x", "both"),
        (LeftOut("path", crosses=True), "private/*", "private", "folders"),
        (LeftOut("path"), "private/*", "private/deep/x", ""),
    ],
)
def test_options_differ_in_what_they_leave_out(
    option: LeftOut, pattern: str, path: str, kind: str
) -> None:
    assert leaves_out(option, pattern, path) == kind


@pytest.mark.parametrize(
    ("manner", "pattern", "path", "is_in"),
    [
        ("name", "*.py", "src/a.PY", True),
        ("name", "*.py", "src/a.js", False),
        ("gitignore", "src/**", "src/b/a.py", True),
        ("gitignore", "*.{py,js}", "a.js", True),
        ("gitignore", "*.{py,js}", "a.txt", False),
        ("gitignore", "*.{py,[!j]s}", "a.txt", True),
        ("name", "[!a].py", "any.txt", True),
        ("path", "src/*", "src/b/a.py", True),
    ],
)
def test_unclear_inclusions_take_all_in(
    manner: Manner, pattern: str, path: str, is_in: bool
) -> None:
    assert bool(compile_inclusion(pattern, manner).fullmatch(path)) is is_in


@pytest.mark.parametrize("path", ["a.py", "src/a.py", "private/a.py", "private", "src"])
def test_inclusions_go_before_exclusions(path: str) -> None:
    out = tuple(regex for _, regex in LeftOut("name").compile("private"))
    narrow = PatternFilter(out, out, (compile_inclusion("*.py", "name"),))
    assert narrow.reads(path) is path.endswith(".py") and narrow.takes_in(path) is narrow.reads(
        path
    )
    assert narrow.skips_folder(path) is (path == "private")
    assert PatternFilter(out, out).reads(path) is (path != "private")


@pytest.mark.parametrize(
    ("line", "drops"),
    [
        ("-v private", True),
        ("-v ^./private/", True),
        ("-v key.txt$", True),
        ("-vi PRIVATE", True),
        ("-v PRIVATE", False),
        ("-vE build|private", True),
        (r"-v build\|private", True),
        ("-v build|private", False),
        ("-v build", False),
        ("-v ^private", False),
        ("-vE ^./(build|private)/", True),
        ("-E (build|private)", False),
        (r"-E \.(md|js)$", True),
        (r"\.md$", True),
        ("-i KEY", False),
        # not understood: nothing is dropped
        ("private", False),
        ("-vx private", False),
        ("-vc private", False),
        ("-v private file", False),
        ("-v [p]rivate", False),
        ("-v -e private", False),
        ("-vE (private", False),
        ("-E (a|b)(c|d)", False),
    ],
)
def test_names_that_grep_drops(line: str, drops: bool) -> None:
    pattern = parse_dropped(line.split())
    names = DroppedNames(PatternFilter(), (pattern,) if pattern else ())
    assert names.reads("./private/key.txt") is not drops
    assert not names.skips_folder("./private") and not names.takes_in("./private")
