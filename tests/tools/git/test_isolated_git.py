"""The user's configuration holds, the repository's does not, but for data."""

from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent.tools.git.isolated_git import open_isolated_git
from maxagent.tools.git.user_git import UserGit

LOCAL = {
    "user.email": "work@example.com",
    "commit.gpgsign": "true",
    "core.autocrlf": "input",
    "http.https://github.com/.extraheader": 'x: "y" \\ z',
}
IGNORED = {
    "gpg.program": "x",
    "core.sshCommand": "x",
    "credential.helper": "x",
    "http.proxy": "http://evil.example",
    "http.sslVerify": "false",
    "url.https://evil.example/.insteadOf": "https://github.com/",
    "remote.origin.pushurl": "https://evil.example/",
    "filter.x.clean": "x",
    "core.worktree": "/",
    "core.hooksPath": "x",
    "include.path": "more",
}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitCheckout:
    config = tmp_path / "gitconfig"
    config.write_text(
        f'[gpg]\n\tprogram = mine\n[includeIf "gitdir:{tmp_path}/project/"]\n\tpath = work\n'
    )
    (tmp_path / "work").write_text("[core]\n\tsshCommand = ssh -i work\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.git("commit", "--quiet", "--allow-empty", "-m", "one")
    for key, value in {**LOCAL, **IGNORED}.items():
        if key != "core.worktree":
            checkout.git("config", key, value)
    return checkout


async def test_settings_by_origin(checkout: GitCheckout) -> None:
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        for key in (*LOCAL, *IGNORED):
            value = await isolated.git.read_text("config", "--get", key, allowed_codes=(0, 1))
            texts = {"gpg.program": "mine", "core.sshCommand": "ssh -i work"}
            texts["core.hooksPath"] = "/dev/null"
            assert value == LOCAL.get(key, texts.get(key, ""))


async def test_new_objects_are_the_repository_s_and_nothing_else(checkout: GitCheckout) -> None:
    before = sorted((checkout.folder / ".git").rglob("*"))
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        tree = await isolated.git.read_text("write-tree")
        blob = (await isolated.git.read("hash-object", "-w", "--stdin", input=b"x")).decode()
        location = isolated.folder
    assert not location.exists()
    assert checkout.git("cat-file", "-t", blob.strip()) == "blob"
    assert checkout.git("cat-file", "-t", tree) == "tree"
    new = set((checkout.folder / ".git").rglob("*")) - set(before)
    assert {file.relative_to(checkout.folder / ".git").parts[0] for file in new} == {"objects"}


async def test_worktree_and_other_object_format_work(tmp_path: Path) -> None:
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.git("commit", "--quiet", "--allow-empty", "-m", "one")
    checkout.git("worktree", "add", "--quiet", str(tmp_path / "more"), "-b", "more")
    new = GitCheckout(tmp_path / "new", tmp_path / "new.git")
    (new.folder / ".git/config").unlink()
    new.git("init", "--quiet", "--object-format=sha256", str(tmp_path / "sha256"))
    for folder in (tmp_path / "more", tmp_path / "sha256"):
        async with open_isolated_git(UserGit(folder)) as isolated:
            blob = (await isolated.git.read("hash-object", "-w", "--stdin", input=b"x")).decode()
        assert (await UserGit(folder).read("cat-file", "blob", blob.strip())) == b"x"
