import subprocess
from pathlib import Path

import pytest

from maxagent.tools.shell.readonly.git_objects import find_hashes, find_object_kinds


def git(root: Path, *arguments: str) -> str:
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    done = subprocess.run(
        ["git", *person, *arguments], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with objects of all kinds, many of them alike so that packs hold deltas."""
    git(tmp_path, "init", "-q")
    for number in range(30):
        (tmp_path / "a").write_text("".join(f"line {line}\n" for line in range(500 + number)))
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", "the same long message " * 20 + str(number))
    git(tmp_path, "tag", "-a", "-m", "x", "v1")
    return tmp_path


def all_objects(root: Path) -> list[tuple[str, str]]:
    entries = git(root, "cat-file", "--batch-check", "--batch-all-objects")
    return [(line.split()[0], line.split()[1]) for line in entries.splitlines()]


@pytest.mark.parametrize(
    "packed",
    [
        [],
        ["repack", "-adfq", "--depth=50"],
        ["-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=50"],
    ],
    ids=["loose", "packed", "packed by hashes"],
)
def test_every_object_s_kind_is_known(packed: list[str], root: Path) -> None:
    if packed:
        git(root, *packed)
        git(root, "prune-packed")
    objects = all_objects(root)
    assert {kind for _, kind in objects} == {"commit", "tree", "blob", "tag"}
    for name, kind in objects:
        text = "commit" if kind == "tag" else kind  # what the tag stands on
        assert find_object_kinds(root / ".git/objects", name, 20) == {text}
        assert text in find_object_kinds(root / ".git/objects", name[:4], 20)


@pytest.mark.parametrize("packed", [False, True])
def test_a_tag_is_what_it_stands_on(packed: bool, root: Path) -> None:
    git(root, "tag", "-a", "-m", "x", "file", "HEAD:a")
    git(root, "tag", "-a", "-m", "x", "again", "file")
    if packed:
        git(root, "gc", "-q")
    for name, kind in {"v1": "commit", "file": "blob", "again": "tag"}.items():
        object_name = git(root, "rev-parse", name).strip()
        assert find_object_kinds(root / ".git/objects", object_name, 20) == {kind}


def test_what_is_not_there_has_no_kind(root: Path) -> None:
    assert find_object_kinds(root / ".git/objects", "0" * 40, 20) == set()


ONE, OTHER = "1" * 40, "2" * 40


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    for location, text in {
        "HEAD": "ref: refs/heads/main\n",
        "FETCH_HEAD": f"{OTHER}\t\tbranch 'x' of y\n",
        "refs/heads/main": f"{ONE}\n",
        "refs/tags/both": f"{ONE}\n",
        "refs/heads/a/b": f"{OTHER}\n",
        "packed-refs": f"# peeled\n{OTHER} refs/tags/old\n^{ONE}\n{OTHER} refs/heads/both\n",
    }.items():
        (tmp_path / location).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / location).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("HEAD", {ONE}),
        ("FETCH_HEAD", {OTHER}),
        ("main", {ONE}),
        ("heads/main", {ONE}),
        ("a/b", {OTHER}),
        ("old", {OTHER}),
        ("refs/tags/old", {OTHER}),
        ("both", {ONE, OTHER}),
        ("a", set()),
        ("new", set()),
        ("", set()),
    ],
)
def test_a_name_means_all_that_bears_it(name: str, expected: set[str], git_dir: Path) -> None:
    assert find_hashes(name, git_dir, git_dir) == expected


def test_a_circle_of_names_ends(git_dir: Path) -> None:
    (git_dir / "refs/heads/main").write_text("ref: refs/heads/main")
    assert find_hashes("main", git_dir, git_dir) == set()


def test_a_table_of_references_is_not_understood(git_dir: Path) -> None:
    (git_dir / "reftable").mkdir()
    with pytest.raises(ValueError, match="table"):
        find_hashes("main", git_dir, git_dir)


def test_a_worktree_s_own_names_are_known(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        done = subprocess.run(
            ["git", *person, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x")
    git("worktree", "add", "-q", "-b", "two", "sub")
    common = tmp_path / ".git"
    assert find_hashes("HEAD", common / "worktrees/sub", common) == {git("rev-parse", "two")}
