from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent import trust
from maxagent.config.errors import UsageError
from maxagent.sdk.pull_requests.user_commit import plan_whole_commit


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def checkout(tmp_path: Path, home: Path) -> GitCheckout:
    """One commit, a change that is not committed, and a branch with a file of its own."""
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.write("a.txt", "one\n")
    checkout.commit()
    checkout.git("checkout", "--quiet", "-b", "side")
    checkout.write("side.txt", "side\n")
    checkout.git("add", "side.txt")
    checkout.git("commit", "--quiet", "-m", "side")
    checkout.git("checkout", "--quiet", "main")
    checkout.write("a.txt", "two\n")
    trust(checkout.folder, home)
    return checkout


async def test_commit_of_others_meanwhile_is_kept(checkout: GitCheckout, home: Path) -> None:
    planned = await plan_whole_commit(checkout.folder, home)
    checkout.write("b.txt", "theirs\n")
    checkout.git("add", "b.txt")
    checkout.git("commit", "--quiet", "-m", "theirs")
    with pytest.raises(UsageError, match="meanwhile"):
        await planned.make("mine\n")
    assert checkout.git("log", "-1", "--format=%s") == "theirs"
    assert checkout.git("status", "--porcelain") == "M a.txt"


async def test_open_merge_is_not_ended(checkout: GitCheckout, home: Path) -> None:
    planned = await plan_whole_commit(checkout.folder, home)
    head = checkout.git("rev-parse", "HEAD")
    checkout.git("merge", "--no-ff", "--no-commit", "side")
    with pytest.raises(UsageError, match="a merge is in progress") as raised:
        await planned.make("mine\n")
    assert "git merge --continue" in raised.value.hint
    with pytest.raises(UsageError, match="a merge is in progress"):
        await plan_whole_commit(checkout.folder, home)
    assert checkout.git("rev-parse", "HEAD") == head
    assert checkout.git("status", "--porcelain").split("\n") == ["M a.txt", "A  side.txt"]
