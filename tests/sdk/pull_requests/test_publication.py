import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from git_checkout import GitCheckout
from hosting_server import NAME, OWNER, TOKEN

from maxagent import trust
from maxagent.config.errors import UsageError
from maxagent.sdk.pull_requests.publication import (
    PublicationSearch,
    check_publication,
    search_publication,
)
from maxagent.tools.git.isolated_git import open_isolated_git

SECRET = "token = ghp_" + "Zz9x" * 9 + "\n"


@pytest.mark.parametrize(
    ("push_url", "text"),
    [
        (f"git@github.com:{OWNER}/{NAME}.git", ""),
        ("https://ann:secret@evil.example/octo/shop.git", "https://evil.example/octo/shop.git"),
        ("https://ann:p@ss@evil.example/octo/shop.git", "https://evil.example/octo/shop.git"),
        ("git@github.com:ann/shop.git", "git@github.com:ann/shop.git"),
        ("/srv/shop.git", "/srv/shop.git"),
    ],
)
async def test_other_push_address_is_shown_without_password(
    push_url: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.git("commit", "--quiet", "--allow-empty", "-m", "one")
    checkout.git("config", "remote.origin.pushurl", push_url)
    trust(checkout.folder, tmp_path / "home")
    publication = await check_publication(checkout.folder, tmp_path / "home")
    assert publication.push_address == text


def remove_repository(folder: Path) -> None:
    shutil.rmtree(folder / ".git")


def damage_repository(folder: Path) -> None:
    (folder / ".git/config").write_text("[core\n")


@pytest.mark.parametrize(
    ("change", "variables", "text"),
    [
        (remove_repository, {}, "is not in a git repository"),
        (damage_repository, {}, "bad config line 1"),
        (None, {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}, "it belongs to another user"),
        (None, {"PATH": "/nonexistent"}, "git is not installed"),
    ],
)
async def test_refusal_of_git_says_its_reason(
    change: Callable[[Path], None] | None,
    variables: dict[str, str],
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.git("commit", "--quiet", "--allow-empty", "-m", "one")
    if change:
        change(checkout.folder)
    trust(checkout.folder, tmp_path / "home")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as raised:
        await check_publication(checkout.folder, tmp_path / "home")
    assert text in str(raised.value)
    assert ("safe.directory" in raised.value.hint) == ("another user" in text)


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


async def search(checkout: GitCheckout) -> PublicationSearch:
    home = checkout.folder.parent / "home"
    trust(checkout.folder, home)
    location = await check_publication(checkout.folder, home)
    async with open_isolated_git(location.git) as isolated:
        return await search_publication(isolated, location, location.head, (location.head,))


def clone(checkout: GitCheckout, *options: str) -> GitCheckout:
    """Clone the remote, and commit a file in the clone."""
    other = GitCheckout(checkout.folder.parent / "clone", checkout.bare)
    other.git("fetch", "--quiet", *options, f"file://{checkout.bare}", "main:refs/remotes/origin/x")
    other.git("reset", "--quiet", "--hard", "origin/x")
    other.git("update-ref", "-d", "refs/remotes/origin/x")
    other.write("b.txt", "mine\n")
    other.git("add", "b.txt")
    other.git("commit", "--quiet", "-m", "mine")
    return other


def subjects(publication_search: PublicationSearch) -> list[str]:
    return [commit.partition(" ")[2] for commit in publication_search.commits]


async def test_empty_remote_has_no_commits(checkout: GitCheckout) -> None:
    match = await search(checkout)
    assert subjects(match) == ["three", "two", "one"]
    assert [(secret.place, secret.line) for secret in match.result.secrets] == [("a.txt", 1)]


@pytest.mark.parametrize("options", [(), ("--depth=1",)], ids=["full", "shallow"])
@pytest.mark.parametrize("is_behind", [False, True], ids=["level", "behind"])
async def test_clone_has_only_own_commits_unpushed(
    is_behind: bool, options: tuple[str, ...], checkout: GitCheckout
) -> None:
    checkout.git("push", "--quiet", "origin", "HEAD")
    other = clone(checkout, *options)
    if is_behind:  # the remote lists no commit that the clone knows
        checkout.git("commit", "--quiet", "--allow-empty", "-m", "four")
        checkout.git("push", "--quiet", "origin", "HEAD")
    match = await search(other)
    assert (subjects(match), match.result.secrets) == (["mine"], ())


async def test_shallow_clone_of_another_remote_is_denied(
    checkout: GitCheckout, tmp_path: Path
) -> None:
    checkout.git("push", "--quiet", "origin", "HEAD")
    other = clone(checkout, "--depth=1")
    empty = GitCheckout(tmp_path / "other", tmp_path / "empty.git")
    other.git("config", "remote.origin.pushurl", str(empty.bare))
    with pytest.raises(UsageError, match="can be searched") as denied:
        await search(other)
    assert "git fetch --unshallow" in denied.value.hint


async def test_every_address_is_searched(checkout: GitCheckout, tmp_path: Path) -> None:
    checkout.git("push", "--quiet", "origin", "HEAD")
    assert (await search(checkout)).result.secrets == ()
    empty = GitCheckout(tmp_path / "other", tmp_path / "empty.git")
    checkout.git("config", "--add", "remote.origin.pushurl", str(empty.bare))
    [secret] = (await search(checkout)).result.secrets
    assert str(secret) == "a.txt:1 (GitHub token)"
