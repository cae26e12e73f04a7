"""A container: root, another user's folder, HOME in /tmp, no terminal, a proxy, the C locale."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_checkout import GitCheckout
from hosting_server import TOKEN, HostingServer
from program import Ended, Program
from provider import Provider
from repair_project import ACCEPT, BROKEN, READ, REPAIR, REPAIRED, SETTINGS, SMALL, TEST, calls

OWNER = 1234
TURNS = [*SMALL, *calls([READ], [REPAIR]), {"text": "double doubles."}, *ACCEPT]
PLACE = {
    "COLUMNS": "0",
    "LC_ALL": "C",
    "LANG": "",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "https_proxy": "socks5h://127.0.0.1:9",
    "NO_PROXY": "localhost,127.0.0.1,[::1]",
}
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


class Container:
    """A project that is mounted from another user's folder, and `mcode` in it."""

    def __init__(self, folder: Path, provider: Provider) -> None:
        self.provider = provider
        self.program = Program(folder, provider.url, PLACE)
        self.checkout = GitCheckout(self.program.project, folder / "remote.git")
        for name, text in (("numbers_.py", BROKEN), ("test_n.py", TEST), ("pytest.ini", SETTINGS)):
            self.checkout.write(name, text)
        self.checkout.write(".gitignore", "__pycache__/\n.pytest_cache/\n")
        self.checkout.commit()
        for path in (self.program.project, *self.program.project.rglob("*")):
            os.chown(path, OWNER, OWNER, follow_symlinks=False)

    def configure(self, *setting: str) -> None:
        """Set what people set in an image's `~/.gitconfig`."""
        command = ["git", "config", "--global", "--add", *setting]
        subprocess.run(command, env=self.program.environ, check=True)

    def task(self, *options: str, **environ: str) -> Ended:
        self.provider.script(TURNS)
        return self.program.task(*options, request="Repair double.", output="text", **environ)

    def list_owners(self) -> set[int]:
        """Owners of the files outside `.git`."""
        listing = self.checkout.git("-c", "safe.directory=*", "ls-files").split("\n")
        return {(self.program.project / name).stat().st_uid for name in listing}


@pytest.fixture
def container(provider: Provider) -> Iterator[Container]:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="container-") as folder:
        yield Container(Path(folder) / "root", provider)


def test_first_steps_say_what_is_needed(container: Container) -> None:
    doctor = container.program.run("doctor")
    assert (doctor.code, "ok    provider" in doctor.stdout) == (0, True)
    untested = container.program.run("test")
    assert (untested.code, "the folder is not trusted" in untested.stderr) == (2, True)
    waiting = container.task()
    assert waiting.code == 4
    assert "--approve" in waiting.stderr and "review unverified" in waiting.stderr


def test_task_is_verified_and_files_keep_owners(container: Container) -> None:
    ended = container.task("--trust", "--apply")
    assert (ended.code, "verified: 1 passed" in ended.stderr) == (0, True)
    file = container.program.project / "numbers_.py"
    assert (file.read_text(), container.list_owners()) == (REPAIRED, {OWNER})
    tested = container.program.run("test")
    assert (tested.code, "1 passed" in tested.stdout) == (0, True)
    undone = container.program.run("undo", "--yes")
    assert (undone.code, file.read_text(), container.list_owners()) == (0, BROKEN, {OWNER})


def test_pull_request_needs_the_folder_named(container: Container) -> None:
    options = ("--trust", "--apply", "--pr=yes")
    with HostingServer() as hosting:
        environ = {"GITHUB_API_URL": hosting.url, "GITHUB_TOKEN": TOKEN}
        refused = container.task(*options, **environ)
        assert (refused.code, "safe.directory" in refused.stderr) == (2, True)
        container.configure("safe.directory", "*")
        ended = container.task(*options, **environ)
    assert (ended.code, "verified" in ended.stderr) == (0, True)
    assert len(container.checkout.branches) == 1
