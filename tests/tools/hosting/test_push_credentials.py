from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent.tools.git.isolated_git import open_isolated_git
from maxagent.tools.git.user_git import UserGit
from maxagent.tools.hosting.host import Host
from maxagent.tools.hosting.login import Login
from maxagent.tools.hosting.push_credentials import build_credentials

LOGIN = Login(Host("github", "github.com", "https://api.github.com"), "token-1")
URL = "https://github.com/octo/demo.git"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitCheckout:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return GitCheckout(tmp_path / "project", tmp_path / "remote.git")


async def ask(checkout: GitCheckout) -> str:
    """Return what git would log in with for a push."""
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        variables = await build_credentials(isolated.git, LOGIN, URL)
        question = f"url={URL}\n".encode()
        answer = await isolated.git.read(
            "credential", "fill", env=variables, input=question, allowed_codes=(0, 128)
        )
        return answer.decode()


async def test_git_is_given_the_token(checkout: GitCheckout) -> None:
    message = await ask(checkout)
    assert "password=token-1" in message
    assert "username=x-access-token" in message


@pytest.mark.parametrize("key", ["credential.helper", "credential.https://github.com.helper"])
async def test_helper_of_the_repository_is_not_asked(key: str, checkout: GitCheckout) -> None:
    canary = checkout.folder.parent / "canary"
    checkout.git("config", key, f"!echo password=theirs; touch {canary}; :")
    assert "password=token-1" in await ask(checkout)
    assert not canary.exists()


async def test_helper_of_the_user_is_asked(
    checkout: GitCheckout, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = checkout.folder.parent / "gitconfig"
    config.write_text('[credential]\n\thelper = "!echo username=ann; echo password=mine; :"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert "password=mine" in await ask(checkout)


@pytest.mark.parametrize(
    "url",
    ["git@github.com:octo/demo.git", "http://github.com/octo/demo", "https://a:b@github.com/o/d",
     "https://evil.example/octo/demo.git", "/srv/demo.git"],
)  # fmt: skip
async def test_other_remotes_are_given_nothing(url: str, checkout: GitCheckout) -> None:
    assert await build_credentials(UserGit(checkout.folder), LOGIN, url) == {}


async def test_header_of_the_repository_is_left_alone(checkout: GitCheckout) -> None:
    checkout.git("config", "http.https://github.com/.extraheader", "x")  # as CI runners set it
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        assert await build_credentials(isolated.git, LOGIN, URL) == {}
