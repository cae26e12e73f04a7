from pathlib import Path

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
