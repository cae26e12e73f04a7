from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent.config.errors import UsageError
from maxagent.tools.git.branch_commit import BranchCommit, open_commit, push_commit
from maxagent.tools.git.commits import Identity
from maxagent.tools.git.isolated_git import open_isolated_git
from maxagent.tools.git.push_addresses import PushAddress
from maxagent.tools.git.user_git import GitError, UserGit


@pytest.fixture
def checkout(tmp_path: Path) -> GitCheckout:
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.write("a.txt", "one\n")
    checkout.commit()
    return checkout


async def push(checkout: GitCheckout, commit: str, branch: str, *protected: str) -> None:
    address = PushAddress(str(checkout.bare), "")
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        await push_commit(isolated, address, commit, branch, protected=protected)


@pytest.mark.parametrize("branch", ["main", "mcode/default", "topic"])
async def test_other_branches_are_never_pushed_to(branch: str, checkout: GitCheckout) -> None:
    head = checkout.git("rev-parse", "HEAD")
    with pytest.raises(UsageError, match="will not push to"):
        await push(checkout, head, branch, "mcode/default")
    assert checkout.branches == []


async def test_branch_that_is_checked_out_stays(checkout: GitCheckout, tmp_path: Path) -> None:
    owner = Identity("Ada", "a@b.c", "1700000000 +0000")
    head, tree = (checkout.git("rev-parse", name) for name in ("HEAD", "HEAD^{tree}"))
    commit = BranchCommit("mcode/x", head, tree, "x\n", owner, owner, frozenset())
    checkout.git("checkout", "--quiet", "-b", "mcode/x")
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        with pytest.raises(UsageError, match="is checked out in"):
            async with open_commit(isolated, tmp_path / "place", commit):
                raise AssertionError
    assert checkout.git("branch", "--show-current") == "mcode/x"


async def test_push_never_forces(checkout: GitCheckout) -> None:
    first = checkout.git("rev-parse", "HEAD")
    checkout.write("a.txt", "two\n")
    checkout.git("commit", "--quiet", "-am", "two")
    checkout.git("push", "--quiet", "origin", "HEAD:refs/heads/mcode/x")
    checkout.git("checkout", "--quiet", first)
    checkout.write("a.txt", "three\n")
    checkout.git("commit", "--quiet", "-am", "three")
    other = checkout.git("rev-parse", "HEAD")
    with pytest.raises(GitError, match="push"):
        await push(checkout, other, "mcode/x")
    assert checkout.remote("show", "mcode/x:a.txt") == "two"


async def test_push_again_changes_nothing(checkout: GitCheckout) -> None:
    head = checkout.git("rev-parse", "HEAD")
    checkout.git("tag", "v1")
    checkout.git("config", "push.followTags", "true")
    for _ in range(2):
        await push(checkout, head, "mcode/x", "main")
    assert checkout.branches == ["mcode/x"]
    assert checkout.remote("tag") == ""
