from pathlib import Path

import pytest
from git_checkout import GitCheckout

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


async def test_git_is_given_the_token(checkout: GitCheckout) -> None:
    variables = await build_credentials(UserGit(checkout.folder), LOGIN, URL)
    asked = f"git credential fill <<'END'\nurl={URL}\nEND"
    (checkout.folder / "ask.sh").write_text(asked)
    checkout.git("config", "alias.ask", "!sh ask.sh")
    told = checkout.git("ask", env=dict(variables))
    assert "password=token-1" in told
    assert "username=x-access-token" in told


@pytest.mark.parametrize(
    "url",
    ["git@github.com:octo/demo.git", "http://github.com/octo/demo", "https://a:b@github.com/o/d",
     "https://evil.example/octo/demo.git", "/srv/demo.git"],
)  # fmt: skip
async def test_other_remotes_are_given_nothing(url: str, checkout: GitCheckout) -> None:
    assert await build_credentials(UserGit(checkout.folder), LOGIN, url) == {}


@pytest.mark.parametrize("key", ["credential.helper", "http.https://github.com/.extraheader"])
async def test_own_way_of_the_user_is_left_alone(key: str, checkout: GitCheckout) -> None:
    checkout.git("config", key, "x")
    assert await build_credentials(UserGit(checkout.folder), LOGIN, URL) == {}
