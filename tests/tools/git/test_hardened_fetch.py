"""No program that a repository's settings name runs by a read of ours."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from maxagent.memory.snapshots.store import Snapshots
from maxagent.sdk.reviews.scope import find_scope
from maxagent.tools.git.hardened_fetch import HardenedFetch
from maxagent.tools.git.hardened_git import open_repository, read_committed_blobs
from maxagent.tools.git.remotes import find_remotes
from maxagent.tools.git.user_git import GitError
from maxagent.tools.workspace import Workspace

SETTINGS = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "merge.evil.driver",
    "remote.origin.uploadpack",
    "remote.origin.receivepack",
    "credential.helper",
    "sequence.editor",
    "interactive.diffFilter",
    "uploadpack.packObjectsHook",
    "trailer.evil.cmd",
    "trailer.evil.command",
    "pager.log",
    "pager.diff",
    "pager.status",
    "tar.evil.command",
    "gc.recentObjectsHook",
    "sendemail.smtpServer",
    "difftool.evil.cmd",
    "mergetool.evil.cmd",
]
HOOKS = ["post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "pre-commit"]


def git(folder: Path, *arguments: str) -> str:
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_GLOBAL": os.devnull}
    identity = ("-c", "user.name=x", "-c", "user.email=x@y")
    command = ["git", *identity, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environ, check=True, capture_output=True, text=True
    ).stdout


class World:
    """A clone whose settings and hooks all name programs that leave a trace."""

    def __init__(self, folder: Path) -> None:
        self.traces, self.home = folder / "traces", folder / "home"
        self.remote, self.clone = folder / "remote", folder / "clone"
        self.traces.mkdir()
        git(folder, "init", "-q", "-b", "main", str(self.remote))
        (self.remote / "a.txt").write_text("1\n")
        (self.remote / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
        git(self.remote, "add", ".")
        git(self.remote, "commit", "-q", "-m", "first")
        git(folder, "clone", "-q", str(self.remote), str(self.clone))
        git(self.remote, "commit", "-q", "--allow-empty", "-m", "second")
        git(self.remote, "update-ref", "refs/pull/1/head", "HEAD")

    def set_traps(self) -> None:
        for name in SETTINGS:
            git(self.clone, "config", name, str(self.write_trap(name)))
        git(self.clone, "config", "protocol.ext.allow", "always")
        for name in HOOKS:
            trap = self.write_trap(name)
            (self.clone / ".git/hooks" / name).write_bytes(trap.read_bytes())
            (self.clone / ".git/hooks" / name).chmod(0o755)
        (self.clone / "a.txt").write_text("2\n")

    def write_trap(self, name: str) -> Path:
        script = self.traces.with_name(f"trap-{name}")
        script.write_text(f"#!/bin/sh\nenv > '{self.traces}/{name}'\nexit 1\n")
        script.chmod(0o755)
        return script

    @property
    def sprung(self) -> list[str]:
        return sorted(os.listdir(self.traces))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_no_setting_of_the_repository_starts_a_program(world: World) -> None:
    world.set_traps()
    workspace = Workspace(world.clone)
    asyncio.run(read_everything(world, workspace))
    assert world.sprung == []
    assert git(world.clone, "-c", "core.fsmonitor=false", "rev-parse", "refs/mcode/pull/1")
    assert not list((world.clone / ".git").glob("mcode-fetch-*"))


async def read_everything(world: World, workspace: Workspace) -> None:
    repository = await open_repository(workspace)
    assert "a.txt" in await repository.read_text("status", "--porcelain")
    assert "first" in await repository.read_text("log", "-1", "--format=%s")
    assert await read_committed_blobs(workspace, ["a.txt"])
    remotes = await find_remotes(repository)
    assert remotes and remotes.fetch == "origin"
    assert "+2" in (await find_scope("", world.clone, world.home)).diff
    assert (await find_scope("HEAD..HEAD", world.clone, world.home)).base
    fetch = HardenedFetch(repository, str(world.remote))
    assert await fetch.read_default_branch() == "main"
    await fetch.fetch([("refs/pull/1/head", "refs/mcode/pull/1")])
    snapshots = Snapshots(world.clone, world.home / "store", ())
    assert await snapshots.take()


def test_the_traps_of_this_test_spring(world: World) -> None:
    world.set_traps()
    commands = (("status",), ("fetch", "origin"))
    for command in commands:
        subprocess.run(["git", *command], cwd=world.clone, capture_output=True, check=False)
    assert {"core.fsmonitor", "remote.origin.uploadpack"} <= set(world.sprung)


@pytest.mark.parametrize("address", ["ext::sh -c evil", "foo://host/x", "fd::3", "ext::%G", "x::y"])
def test_an_address_that_starts_a_program_is_refused(world: World, address: str) -> None:
    repository = asyncio.run(open_repository(Workspace(world.clone)))
    with pytest.raises(GitError, match="would start a program"):
        asyncio.run(HardenedFetch(repository, address).read_default_branch())


def test_model_keys_are_not_in_the_environment_of_fetches(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-for-tests-1234")
    monkeypatch.setenv("GITHUB_TOKEN", "token-for-tests-1234")
    config = world.home.with_name("user-config")
    trap = world.write_trap("user")
    config.write_text(f"[core]\nsshCommand = {trap}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    repository = asyncio.run(open_repository(Workspace(world.clone)))
    with pytest.raises(GitError):
        asyncio.run(HardenedFetch(repository, "git@host:a/b").read_default_branch())
    environment = (world.traces / "user").read_text()
    assert "GITHUB_TOKEN=" in environment and "OPENAI_API_KEY" not in environment
