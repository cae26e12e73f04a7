from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent.config.errors import UsageError
from maxagent.tools.git.branch_commit import BranchCommit, Identity, open_commit, push_commit
from maxagent.tools.git.user_git import GitError, UserGit


@pytest.fixture
def checkout(tmp_path: Path) -> GitCheckout:
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.write("a.txt", "one\n")
    checkout.commit()
    return checkout


@pytest.mark.parametrize("branch", ["main", "mcode/default", "topic"])
async def test_other_branches_are_never_pushed_to(branch: str, checkout: GitCheckout) -> None:
    git, head = UserGit(checkout.folder), checkout.git("rev-parse", "HEAD")
    with pytest.raises(UsageError, match="will not push to"):
        await push_commit(git, "origin", head, branch, protected={"mcode/default"})
    assert checkout.branches == []


async def test_branch_that_is_checked_out_stays(checkout: GitCheckout, tmp_path: Path) -> None:
    git, who = UserGit(checkout.folder), Identity("Ada", "a@b.c", "1700000000 +0000")
    head, tree = (checkout.git("rev-parse", name) for name in ("HEAD", "HEAD^{tree}"))
    commit = BranchCommit("mcode/x", head, tree, "x\n", who, who, frozenset())
    checkout.git("checkout", "--quiet", "-b", "mcode/x")
    with pytest.raises(UsageError, match="is checked out in"):
        async with open_commit(git, tmp_path / "place", commit):
            raise AssertionError
    assert checkout.git("branch", "--show-current") == "mcode/x"


async def test_push_never_forces(checkout: GitCheckout) -> None:
    git, first = UserGit(checkout.folder), checkout.git("rev-parse", "HEAD")
    checkout.write("a.txt", "two\n")
    checkout.git("commit", "--quiet", "-am", "two")
    checkout.git("push", "--quiet", "origin", "HEAD:refs/heads/mcode/x")
    checkout.git("checkout", "--quiet", first)
    checkout.write("a.txt", "three\n")
    checkout.git("commit", "--quiet", "-am", "three")
    other = checkout.git("rev-parse", "HEAD")
    with pytest.raises(GitError, match="push"):
        await push_commit(git, "origin", other, "mcode/x", protected=())
    assert checkout.remote("show", "mcode/x:a.txt") == "two"


async def test_push_again_changes_nothing(checkout: GitCheckout) -> None:
    git, head = UserGit(checkout.folder), checkout.git("rev-parse", "HEAD")
    checkout.git("tag", "v1")
    checkout.git("config", "push.followTags", "true")
    for _ in range(2):
        await push_commit(git, "origin", head, "mcode/x", protected={"main"})
    assert checkout.branches == ["mcode/x"]
    assert checkout.remote("tag") == ""
