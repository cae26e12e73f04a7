from pathlib import Path

import pytest
from git_checkout import GitCheckout
from hosting_server import NAME, OWNER, TOKEN

from maxagent import trust
from maxagent.sdk.pull_requests.publication import check_publication


@pytest.mark.parametrize(
    ("push_url", "shown"),
    [
        (f"git@github.com:{OWNER}/{NAME}.git", ""),
        ("https://ann:secret@evil.example/octo/shop.git", "https://evil.example/octo/shop.git"),
        ("https://ann:p@ss@evil.example/octo/shop.git", "https://evil.example/octo/shop.git"),
        ("git@github.com:ann/shop.git", "git@github.com:ann/shop.git"),
        ("/srv/shop.git", "/srv/shop.git"),
    ],
)
async def test_other_push_address_is_shown_without_password(
    push_url: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.git("commit", "--quiet", "--allow-empty", "-m", "one")
    checkout.git("config", "remote.origin.pushurl", push_url)
    trust(checkout.folder, tmp_path / "home")
    publication = await check_publication(checkout.folder, tmp_path / "home")
    assert publication.push_address == shown
