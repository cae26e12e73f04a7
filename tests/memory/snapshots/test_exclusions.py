from pathlib import Path

import pytest

from maxagent.memory.snapshots.exclusions import CACHES, Exclusions, build_exclusions


@pytest.mark.parametrize(
    ("pattern", "prefix", "expected"),
    [
        (".env", "", ".[eE][nN][vV]"),
        (".env", "sub/", ".[eE][nN][vV]"),
        ("*.p1", "", "*.[pP]1"),
        ("a/", "sub/", "[aA]/"),
        ("a/b", "", "[aA]/[bB]"),
        ("a/b", "sub/", "/sub/[aA]/[bB]"),
        ("/a", "sub/", "/sub/[aA]"),
        ("!/a", "sub/", "!/sub/[aA]"),
        ("!a", "sub/", "![aA]"),
        ("**/a/**", "sub/", "/sub/**/[aA]/**"),
        ("/a", "o*d [x]/", r"/o\*d \[x]/[aA]"),
        ("[a-c]x", "", "[a-c][xX]"),
        (r"\!a", "", r"\![aA]"),
        (r"[]a]b", "", "[]a][bB]"),
        ("[a", "", "[[aA]"),
        ("ü", "", "ü"),
    ],
)
def test_patterns_for_a_git_above_the_folder(pattern: str, prefix: str, expected: str) -> None:
    *_, last = Exclusions((pattern,)).to_git_patterns(prefix)
    assert last == expected


def test_caches_are_excluded_unless_tool_writes_there() -> None:
    out = Exclusions(())
    assert len(out.to_git_patterns("")) == len(CACHES)
    assert not out.is_excluded("node_modules/x/index.js")


@pytest.mark.parametrize(
    ("path", "held"),
    [
        ("a.py", False),
        ("sub/.env.example", False),
        ("sub/.env", True),
        (".ENV", True),
        (".env/below", True),
        ("x/secrets/y", True),
        ("secrets", True),
        ("data/threads.db", True),
        ("database", False),
        ("sub/data/x", False),
        ("/etc/passwd", True),
        ("../x", True),
        ("a/../../x", True),
        (".git/config", True),
        ("sub/.Git", True),
        ("", True),
        (".", True),
        ("a/", True),
    ],
)
def test_what_may_never_be_stored(path: str, held: bool) -> None:
    exclude = [".env", ".env.*", "!.env.example", "**/secrets/**"]
    assert build_exclusions(Path("/p"), Path("/p/data"), exclude).is_excluded(path) is held


def test_our_own_data_elsewhere_needs_no_pattern() -> None:
    assert build_exclusions(Path("/p"), Path("/home/data"), ["x"]).patterns == ("x",)
    assert build_exclusions(Path("/p"), Path("/p/o[d]d/data"), []).patterns == (r"/o\[d]d/data/",)


def test_own_data_is_excluded_through_any_link(tmp_path: Path) -> None:
    real = tmp_path / "disk" / "me"
    (real / ".llc" / "data").mkdir(parents=True)
    (tmp_path / "me").symlink_to(real)
    (tmp_path / "home").symlink_to(real / ".llc")
    for data in (tmp_path / "me" / ".llc" / "data", tmp_path / "home" / "data"):
        assert build_exclusions(real, data, []).patterns == ("/.llc/data/",)
