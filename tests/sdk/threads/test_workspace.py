"""The clone in which a thread works."""

from dataclasses import replace
from pathlib import Path

import pytest
from snapshot_project import git

from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.threads.workspace import locate_clone, open_workspace, resolve_workspace

THREAD = "0b6d0a1e-3c8f-4b3a-9d0e-1f2a3b4c5d6e"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "upstream"
    folder.mkdir()
    git(folder, "init", "--quiet", "-b", "main")
    for name in ("one", "two"):
        (folder / "a.txt").write_text(name)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", name)
        git(folder, "tag", name)
    return folder


@pytest.mark.parametrize(
    "ref, commit",
    [("", "HEAD"), ("#main", "HEAD"), ("#one", "one"), ("#two", "HEAD"), ("#refs/tags/one", "one")],
)
def test_a_ref_is_resolved_once(ref: str, commit: str, repository: Path) -> None:
    sha = git(repository, "rev-parse", commit).strip()
    assert resolve_workspace(f"{repository}{ref}") == f"{repository}#{sha}"
    assert resolve_workspace(f"file://{repository}#{sha}") == f"file://{repository}#{sha}"


@pytest.fixture
def many(repository: Path) -> Path:
    """Branches and tags whose names end like those of others, in both orders of listing."""
    for name, commit in [("feature/main", "one"), ("a/v1", "one"), ("z/v1", "one"), ("v1", "one")]:
        git(repository, "branch", name, commit)
    for name, commit in [("a/release", "one"), ("release", "two"), ("both", "one")]:
        git(repository, "tag", name, commit)
    for name, commit in [("both", "one"), ("clash", "one"), ("only/deep", "one")]:
        git(repository, "branch", name, commit)
    git(repository, "tag", "-a", "-m", "x", "annotated", "one")
    git(repository, "tag", "-a", "-m", "x", "clash", "two")
    git(repository, "update-ref", "refs/pull/1/head", "one")
    git(repository, "update-ref", "refs/else/refs/heads/gone", "one")
    return repository


@pytest.mark.parametrize(
    "ref, commit",
    [
        ("main", "two"),
        ("heads/main", "two"),
        ("feature/main", "one"),
        ("v1", "one"),
        ("release", "two"),
        ("tags/a/release", "one"),
        ("both", "one"),
        ("annotated", "one"),
        ("refs/tags/annotated", "one"),
        ("refs/heads/clash", "one"),
        ("refs/tags/clash", "two"),
        ("pull/1/head", "one"),
        ("refs/pull/1/head", "one"),
        ("HEAD", "two"),
    ],
)
def test_names_mean_what_git_means(ref: str, commit: str, many: Path) -> None:
    sha = git(many, "rev-parse", f"refs/tags/{commit}^{{commit}}").strip()
    assert resolve_workspace(f"{many}#{ref}") == f"{many}#{sha}"


@pytest.mark.parametrize("ref", ["deep", "head", "gone", "mai*", "?ain", "refs/heads", "1/head"])
def test_ends_of_names_are_no_refs(ref: str, many: Path) -> None:
    with pytest.raises(UsageError, match="has no"):
        resolve_workspace(f"{many}#{ref}")


def test_a_branch_and_a_tag_stop(many: Path) -> None:
    with pytest.raises(UsageError, match="a branch and a tag `clash`") as raised:
        resolve_workspace(f"{many}#clash")
    assert raised.value.hint == "write `refs/heads/` or `refs/tags/` before the name"


@pytest.mark.parametrize("ref", ["#nothing", "#-x", "#0000"])
def test_unknown_ref_is_refused(ref: str, repository: Path) -> None:
    with pytest.raises(UsageError, match="has no"):
        resolve_workspace(f"{repository}{ref}")


@pytest.mark.parametrize("url", ["/nowhere", "file:///nowhere", "ext::sh -c true", "--help"])
def test_unknown_repository_is_an_error(url: str) -> None:
    with pytest.raises(MaxAgentError, match="git ls-remote failed"):
        resolve_workspace(url)


def test_url_with_password_is_not_used(tmp_path: Path) -> None:
    spec = f"https://me:secret@127.0.0.1:9/x.git#{'1' * 40}"
    row = ThreadIndex(tmp_path).record_thread(
        thread_id=THREAD, title="t", folder="/x", graph="task", request="r", options={}
    )
    with pytest.raises(UsageError, match="has a password"):
        resolve_workspace(spec)
    with pytest.raises(UsageError, match="has a password"):
        open_workspace(replace(row, options={"workspace": spec}), tmp_path)
    assert [*tmp_path.rglob("*.git")] == []


def test_each_home_has_its_own_clone(repository: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    spec = resolve_workspace(f"{repository}#one")
    elsewhere = str(locate_clone(tmp_path / "other", THREAD, spec))
    row = ThreadIndex(home).record_thread(
        thread_id=THREAD,
        title="t",
        folder=elsewhere,
        graph="task",
        request="r",
        options={"workspace": spec},
    )
    opened = open_workspace(row, home)
    folder = locate_clone(home, THREAD, spec)
    assert opened.folder == str(folder) == ThreadIndex(home).get(THREAD).folder
    assert (folder / "a.txt").read_text() == "one"
    (folder / "b.txt").write_text("kept")
    assert open_workspace(opened, home) == opened and (folder / "b.txt").exists()
    ThreadIndex(home).delete(THREAD)
    assert not folder.exists()


def test_a_folder_of_its_own_stays(tmp_path: Path) -> None:
    row = ThreadIndex(tmp_path).record_thread(
        thread_id=THREAD, title="t", folder="/x", graph="task", request="r", options={}
    )
    assert open_workspace(row, tmp_path) is row
