import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from git_checkout import GitCheckout
from hosting_server import NAME, OWNER, TOKEN

from maxagent import trust
from maxagent.config.errors import UsageError
from maxagent.sdk.pull_requests.publication import check_publication


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
