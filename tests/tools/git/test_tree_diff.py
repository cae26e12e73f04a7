from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent.tools.git.tree_diff import list_changes, read_diff
from maxagent.tools.git.user_git import UserGit


async def test_changes_between_two_commits(tmp_path: Path) -> None:
    checkout = GitCheckout(tmp_path / "project", tmp_path / "remote.git")
    checkout.write("gone.txt", "same\n")
    checkout.write("kept.txt", "one\n")
    checkout.commit()
    first = checkout.git("rev-parse", "HEAD")
    checkout.git("mv", "gone.txt", "renamed é.txt")
    checkout.write("kept.txt", "two\n")
    checkout.git("commit", "--quiet", "-am", "second")
    git = UserGit(checkout.folder)

    changes = await list_changes(git, first, "HEAD")
    diff = await read_diff(git, first, "HEAD")

    assert [(change["path"], change["kind"]) for change in changes] == [
        ("gone.txt", "deleted"),
        ("kept.txt", "modified"),
        ("renamed é.txt", "added"),
    ]
    assert "-one\n+two\n" in diff
    assert "deleted file mode" in diff


SECRET = "token = ghp_" + "aB3d" * 9 + "\n"
SHOWN = {
    "-diff": (SECRET.encode(), f"+{SECRET}"),
    "a nul": (b"\0 one", "Not plain text: binary, 5 bytes; no secret found"),
    "image": (b"\x89PNG\r\n\x1a\n" + bytes(40), "Not plain text: PNG image, 48 bytes; no secret"),
    "image with a secret": (b"\x89PNG\r\n\x1a\n\0\0" + SECRET.encode(), "a secret: GitHub token"),
    "utf-16": ("new\n".encode("utf-16"), "UTF-16 text, 10 bytes; no secret found\n"),
    "utf-16 lines": ("new\n".encode("utf-16"), "\n+new"),
    "zip": (b"PK\3\4" + bytes(40), "zip archive"),
}


@pytest.mark.parametrize("name", SHOWN)
async def test_no_attribute_hides_what_a_file_is(name: str, tmp_path: Path) -> None:
    checkout, (content, output) = GitCheckout(tmp_path / "project", tmp_path / "r.git"), SHOWN[name]
    checkout.write(".gitattributes", "* -diff\n")
    checkout.commit()
    (checkout.folder / "a.cfg").write_bytes(content)
    checkout.git("add", "a.cfg")
    checkout.git("commit", "--quiet", "-m", "more")
    diff = await read_diff(UserGit(checkout.folder), "HEAD^", "HEAD")
    assert output in diff
    assert diff.startswith("diff --git a/a.cfg b/a.cfg\n")
    assert "Binary files" not in diff
