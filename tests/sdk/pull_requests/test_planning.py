from pathlib import Path

import pytest
from git_checkout import GITHUB_URL, GitCheckout
from hosting_server import TOKEN

from maxagent import trust
from maxagent.sdk.pull_requests.planning import SecretsFoundError, list_unpushed, refuse_secrets
from maxagent.sdk.pull_requests.publication import check_publication

SECRET = "token = ghp_" + "Zz9x" * 9 + "\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitCheckout:
    """Three commits: the second adds a secret, the third takes it out."""
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    for subject, text in (("one", "a\n"), ("two", SECRET), ("three", "b\n")):
        checkout.write("a.txt", text)
        checkout.git("add", "a.txt")
        checkout.git("commit", "--quiet", "-m", subject)
    return checkout


async def test_remote_never_fetched_has_no_commits(checkout: GitCheckout, tmp_path: Path) -> None:
    trust(checkout.folder, tmp_path / "home")
    place = await check_publication(checkout.folder, tmp_path / "home")
    subjects = [line.partition(" ")[2] for line in await list_unpushed(place, place.head)]
    assert subjects == ["three", "two", "one"]
    with pytest.raises(SecretsFoundError, match=r"a\.txt:1"):
        await refuse_secrets(place, place.head, place.head)


@pytest.mark.parametrize("depth", [(), ("--depth=1",)], ids=["full", "shallow"])
async def test_clone_has_only_own_commits_unpushed(
    depth: tuple[str, ...], checkout: GitCheckout, tmp_path: Path
) -> None:
    checkout.git("push", "--quiet", "origin", "HEAD")
    clone = GitCheckout(tmp_path / "clone", tmp_path / "other.git")
    clone.git("fetch", "--quiet", *depth, f"file://{checkout.bare}", "main:refs/remotes/origin/x")
    clone.git("reset", "--quiet", "--hard", "origin/x")
    if depth:
        clone.git("update-ref", "-d", "refs/remotes/origin/x")
    clone.write("b.txt", "mine\n")
    clone.git("add", "b.txt")
    clone.git("commit", "--quiet", "-m", "mine")
    clone.git("remote", "set-url", "origin", GITHUB_URL)
    trust(clone.folder, tmp_path / "home")
    place = await check_publication(clone.folder, tmp_path / "home")
    [listed] = await list_unpushed(place, place.head)
    assert listed.endswith(" mine")
    await refuse_secrets(place, place.head, place.head)
