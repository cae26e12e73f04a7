import shutil
import subprocess
from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent.tools.git.git_settings import GitSetting
from maxagent.tools.git.isolated_git import open_isolated_git
from maxagent.tools.git.lfs import find_lfs_file, locate_lfs_storage
from maxagent.tools.git.object_scan import scan_objects
from maxagent.tools.git.user_git import UserGit

OID = "82fef21d06d2d0aa00a816a8bef258c3cd54ad9b78f067eed118dd6dd4372805"
HEAD = "version https://git-lfs.github.com/spec/v1\n"
POINTER = f"{HEAD}oid sha256:{OID}\nsize 40\n"
TOKEN = "ghp_" + "aB3d" * 9
needs_git_lfs = pytest.mark.skipif(not shutil.which("git-lfs"), reason="git LFS is not installed")


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    file = tmp_path / "objects" / OID[:2] / OID[2:4] / OID
    file.parent.mkdir(parents=True)
    file.write_text(f"token = {TOKEN}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("value", "storage"),
    [
        ("", "/home/me/shop/.git/lfs"),
        ("store", "/home/me/shop/.git/store"),
        ("../lfs", "/home/me/shop/.git/../lfs"),
        ("/srv/lfs", "/srv/lfs"),
    ],
)
def test_storage_is_found(value: str, storage: str) -> None:
    settings = [GitSetting("local", "lfs.storage", value)] if value else []
    assert locate_lfs_storage(settings, "/home/me/shop/.git") == storage


@pytest.mark.parametrize(
    ("content", "is_pointer"),
    [
        (POINTER, True),
        (f"{HEAD}ext-0-mine sha256:{'0' * 64}\noid sha256:{OID}\nsize 40\n", True),
        (f"{HEAD}oid sha256:{OID}\n", True),
        (POINTER.replace(OID, "1" * 64), False),
        (POINTER.replace(OID, f"../{OID}"), False),
        (f"{POINTER}{'x' * 1100}\n", False),
        (f"# {POINTER}", False),
        ("", False),
    ],
)
def test_pointer_names_its_file(content: str, is_pointer: bool, storage: Path) -> None:
    file = find_lfs_file(str(storage), content.encode())
    assert (file.name if file else "") == (OID if is_pointer else "")


async def test_secret_in_a_pointed_file_is_found(tmp_path: Path, storage: Path) -> None:
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.write("a.dat", POINTER)
    checkout.commit()
    checkout.git("config", "lfs.storage", str(storage))
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        result = await scan_objects(isolated, [checkout.git("rev-parse", "HEAD")], [])
    assert [secret.place for secret in result.secrets] == ["a.dat"]


@needs_git_lfs
@pytest.mark.parametrize("is_downloaded", [True, False])
async def test_files_come_from_the_repository_s_storage(
    is_downloaded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    subprocess.run(["git", "lfs", "install", "--skip-repo"], check=True, capture_output=True)
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.write(".gitattributes", "*.dat filter=lfs diff=lfs merge=lfs -text\n")
    checkout.write("a.dat", "content\n")
    repository = UserGit(checkout.folder)
    async with open_isolated_git(repository) as isolated:
        await isolated.git.read("add", "--all")
        tree = await isolated.git.read_text("write-tree")
    if not is_downloaded:
        shutil.rmtree(checkout.folder / ".git/lfs")
    (tmp_path / "more").mkdir()
    async with open_isolated_git(repository) as isolated:
        index = {"GIT_INDEX_FILE": str(tmp_path / "index")}
        await isolated.write_files(tree, isolated.open_checkout(tmp_path / "more", index))
    text = (tmp_path / "more/a.dat").read_text()
    assert text == "content\n" if is_downloaded else text.startswith(HEAD)
