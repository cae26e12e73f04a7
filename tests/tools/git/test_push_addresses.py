from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent.config.errors import UsageError
from maxagent.tools.git.isolated_git import open_isolated_git
from maxagent.tools.git.push_addresses import parse_push_addresses, pin_addresses
from maxagent.tools.git.remotes import find_remotes
from maxagent.tools.git.user_git import UserGit

SHOWN = {
    "https://github.com/octo/demo.git": "https://github.com/octo/demo.git",
    "https://ann:secret@evil.example/octo/demo": "https://evil.example/octo/demo",
    "https://token@evil.example/octo/demo": "https://evil.example/octo/demo",
    "ssh://ann:secret@evil.example:22/octo/demo": "ssh://ann@evil.example:22/octo/demo",
    "git@github.com:octo/demo.git": "git@github.com:octo/demo.git",
    "github:octo/demo": "github:octo/demo",
    "/srv/demo.git": "/srv/demo.git",
    "../demo.git": "/srv/demo.git",
    "file:///srv/demo.git": "file:///srv/demo.git",
}
DENIED = [
    "ext::sh -c touch% /tmp/x",
    "fd::17/foo",
    "codecommit://x",
    "ext:://x",
    "transport::address",
    "--upload-pack=x",
    "https://github.com?@evil.example/octo/demo",
    "https://github.com#@evil.example/octo/demo",
    "https://github.com\\@evil.example/octo/demo",
    "https://evil.example/a b",
    "https://evil.example/a\u202eb",
    "-oProxyCommand=x:y/z",
    "git@-oProxyCommand=x:y/z",
    "remote.git",
    ".git",
    "file:///srv/project/remote.git",
    "/srv/project/sub/../remote.git",
]
TOP = Path("/srv/project")


@pytest.mark.parametrize("url", SHOWN)
def test_address_is_shown_without_password(url: str) -> None:
    [address] = parse_push_addresses([url], TOP)
    assert address.shown == SHOWN[url]


@pytest.mark.parametrize("url", DENIED)
def test_address_that_starts_a_program_is_denied(url: str) -> None:
    with pytest.raises(UsageError, match="push address|will not push"):
        parse_push_addresses([url], TOP)


# Settings of the repository, with all addresses that a push then reaches
REACHED: dict[str, tuple[list[tuple[str, str]], list[str]]] = {
    "two": (
        [("remote.origin.pushurl", "https://a.example/x/y"),
         ("remote.origin.pushurl", "https://b.example/x/y")],
        ["https://a.example/x/y", "https://b.example/x/y"],
    ),
    "three": (
        [("remote.origin.pushurl", f"https://{host}.example/x/y") for host in "abc"],
        [f"https://{host}.example/x/y" for host in "abc"],
    ),
    "two urls": (
        [("remote.origin.url", "https://b.example/x/y")],
        ["https://github.com/o/d", "https://b.example/x/y"],
    ),
    "insteadOf": (
        [("url.https://evil.example/.insteadOf", "https://github.com/")],
        ["https://evil.example/o/d"],
    ),
    "pushInsteadOf": (
        [("url.https://evil.example/.pushInsteadOf", "https://github.com/")],
        ["https://evil.example/o/d"],
    ),
    "insteadOf of a pushurl": (
        [("remote.origin.pushurl", "mine:d"), ("url.https://evil.example/.insteadOf", "mine:")],
        ["https://evil.example/d"],
    ),
    "pushDefault": (
        [("remote.evil.url", "https://evil.example/x/y"), ("remote.pushDefault", "evil")],
        ["https://evil.example/x/y"],
    ),
    "pushRemote": (
        [("remote.evil.url", "https://evil.example/x/y"), ("branch.main.pushRemote", "evil")],
        ["https://evil.example/x/y"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REACHED)
async def test_every_address_is_found(name: str, tmp_path: Path) -> None:
    settings, reached = REACHED[name]
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git", "https://github.com/o/d")
    checkout.git("config", "--remove-section", f"url.{checkout.bare}")
    checkout.git("config", "--unset", "remote.origin.pushurl")
    for key, value in settings:
        checkout.git("config", "--add", key, value)
    remotes = await find_remotes(UserGit(checkout.folder))
    assert remotes
    assert list(remotes.push_urls) == reached


@pytest.mark.parametrize("kind", ["insteadOf", "pushInsteadOf"])
async def test_shown_address_is_not_rewritten_again(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(f'[url "https://evil.example/"]\n\t{kind} = https://github.com/\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    urls = ["https://github.com/octo/demo", "https://github.com/octo/demo/more"]
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        used = await isolated.git.read_text("ls-remote", "--get-url", urls[0])
        assert used.startswith("https://evil.example/") == (kind == "insteadOf")
        await pin_addresses(isolated, parse_push_addresses(urls, checkout.folder))
        assert [await isolated.git.read_text("ls-remote", "--get-url", url) for url in urls] == urls
