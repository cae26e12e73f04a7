"""Git is the judge of what a pattern matches."""

import subprocess
from pathlib import Path

import pytest

from maxagent.tools.glob_pattern import compile_glob
from maxagent.tools.result import ToolError

PATHS = (
    *("a.py", "b.py", "A.py", "1.py", "_.py", "^.py", "-.py", "].py", "[.py", "!.py", "ab.py"),
    *("src/a.py", "src/b/a.py", "srcx/a.py", "src/x/y/a.py", "lib/src/a.py", "src.d/a.py"),
    *("x*y", "x?y", "xay", "x[y]", "{a,b}", "#note", " lead", "a b", "docs/Read.md", "docs/a/b.md"),
    *("Makefile", ".env", ".env.local", "sub/.env", "é.txt", "文件.md", "deep/er/文件.md"),
)
PATTERNS = (
    *("[^a].py", "[!a].py", "[a-b].py", "[^a-b].py", "[[:lower:]].py", "[[:upper:]].py"),
    *("[[:digit:]].py", "[^[:alpha:]].py", "[[:alpha:]_].py", "[[:punct:]].py", "[]].py"),
    *("[]a].py", "[^]].py", "[!]a].py", "[-a].py", "[a-].py", r"[\]].py", r"[\^a].py", "[[].py"),
    *("**/a.py", "src/**/a.py", "src/**", "**/src/**", "src/*", "src/*/a.py", "src*"),
    *(
        "*.py",
        "/a.py",
        "/*.py",
        "**",
        "*",
        "src/",
        "lib/",
        "docs/*.md",
        "docs/**/*.md",
        "a*",
        "?.py",
    ),
    *(r"x\*y", r"x\?y", r"x\[y\]", "x[*]y", "x?y", "x*y", r"\#note", r"\!.py", r"\ lead", "a b"),
    *("a.py ", r"a\ b", ".env", ".env*", "/.env", "é.txt", "*.md", "文*", "**/文件.md"),
    *(
        "M*file",
        "[A-Z]*",
        "*[!y]",
        "***",
        "**a.py",
        "[b-a].py",
        "[z-a0-9].py",
        "src/b/",
        "**/b/*",
        "*/*/*/*.py",
    ),
    *(r"\{a,b\}", "[{]*", "d*/R???.md", "src.d/*", "s*c*/a.py", "[s-z]*/a.py", "er/文件.md"),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


def ask_git(repository: Path, pattern: str) -> set[str]:
    """Return the paths that git ignores by one pattern, or by that of a folder above."""
    (repository / ".gitignore").write_text(f"{pattern}\n", encoding="utf-8")
    command = ["git", "-c", "core.ignoreCase=false", "check-ignore", "--no-index", "--stdin", "-z"]
    listing = "\0".join(PATHS).encode()
    done = subprocess.run(command, cwd=repository, input=listing, capture_output=True)
    assert done.returncode < 2, done.stderr
    return {name for name in done.stdout.decode().split("\0") if name}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_pattern_matches_what_git_matches(pattern: str, repository: Path) -> None:
    fits = compile_glob(pattern)
    ends = {path: [*(at for at, item in enumerate(path) if item == "/"), None] for path in PATHS}
    ours = {path for path in PATHS if any(fits(path[:end]) for end in ends[path])}
    assert ours == ask_git(repository, pattern)


@pytest.mark.parametrize("pattern", ["[a", "[", "[^", "[]", "[[:no:]]", "a\\", "[a\\"])
def test_what_matches_nothing_for_git_is_refused(pattern: str, repository: Path) -> None:
    assert ask_git(repository, pattern) == set()
    with pytest.raises(ToolError):
        compile_glob(pattern)


def test_folder_of_windows_is_refused() -> None:
    with pytest.raises(ToolError, match="between folders write `/`"):
        compile_glob("src\\app.py")


@pytest.mark.parametrize(
    ("path", "exactly"), [("srcx/a.py", True), ("src/b/a.py", False), ("src/x/y/a.py", False)]
)
def test_stars_beside_a_name_depend_on_git(path: str, exactly: bool) -> None:
    assert compile_glob("src**/a.py")(path) is exactly
    assert compile_glob("src**/a.py", loosely=True)(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("foo**/bar", "foobar"),
        ("a/b**/c.py", "a/bc.py"),
        ("a**/b**/c", "abc"),
        ("a**/b**/c", "a/x/bc"),
        ("*.d**/conf", "x.dconf"),
        ("/lib**/x.{c,h}", "libx.h"),
    ],
)
def test_stars_beside_a_name_may_be_nothing(pattern: str, path: str) -> None:
    assert compile_glob(pattern, loosely=True)(path)
    assert not compile_glob(pattern)(path)
