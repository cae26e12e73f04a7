"""A commit on the user's own branch, of what a thread changed or of all changes.

It is built in a temporary index, so that what the user has staged stays staged and uncommitted.
"""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.loader import load_settings
from ...config.text import text
from ...config.trust.decision import check_trust
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import FileHistory
from ...tools.filesystem.project_snapshots import open_snapshots
from ...tools.git.diff_secrets import find_secrets
from ...tools.git.tree_diff import list_changes, read_diff
from ...tools.git.user_git import UserGit
from .planning import find_own_entries
from .publication import open_repository
from .thread_changes import ThreadTree, build_thread_tree

# Paths on a command line
PORTION = 100
# What git keeps while it waits for the user
_OPERATIONS = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
# Commits that show the model the repository's style
MAX_EXAMPLES = 20


@dataclass(frozen=True)
class UserCommit:
    """What `/commit` would commit."""

    git: UserGit
    head: str
    tree: str
    paths: tuple[str, ...]
    diff: str
    examples: str
    """Messages of the last commits."""
    mixed: tuple[str, ...] = ()
    """Files with changes that are not the thread's; only its own are in the tree."""
    whole: tuple[str, ...] = ()
    """Those of them that are in the tree as they are."""
    secrets: tuple[str, ...] = ()
    """Places of what looks like secrets."""

    async def make(self, message: str) -> str:
        """Commit with the user's hooks; return the commit's ID. Raises GitError if one refuses.

        Raises UsageError if others have committed since: the tree would take their commit back.
        """
        await _refuse_operation(self.git)
        if await self.git.read_text("rev-parse", "HEAD") != self.head:
            raise UsageError(
                "others have committed meanwhile; nothing was committed", hint="try `/commit` again"
            )
        async with _open_index() as index_variables, _open_message(message) as file:
            await self.git.read("read-tree", self.tree, env=index_variables)
            options = ("--quiet", "--cleanup=whitespace", "--file", str(file))
            await self.git.act("commit", *options, env=index_variables)
        for at in range(0, len(self.paths), PORTION):
            literal = [f":(top,literal){path}" for path in self.paths[at : at + PORTION]]
            await self.git.read("reset", "--quiet", "--", *literal)
        return await self.git.read_text("rev-parse", "--short", "HEAD")


async def plan_thread_commit(row: ThreadRow, home: Path) -> UserCommit:
    """Plan a commit of what the thread changed; raises UsageError if there is nothing."""
    folder = Path(row.folder)
    git, prefix, head = await _open_trusted(folder, home)
    history = FileHistory(paths.locate_database(home))
    entries = find_own_entries(history.list_entries(row.thread_id))
    snapshots = open_snapshots(folder, home, load_settings(folder, home).settings)
    thread_tree = await build_thread_tree(git, prefix, head, entries, snapshots)
    return await _build_commit(git, head, thread_tree)


async def plan_whole_commit(folder: Path, home: Path) -> UserCommit:
    """Plan a commit of all changes that git does not ignore; raises UsageError without any."""
    git, _, head = await _open_trusted(folder, home)
    async with _open_index() as index_variables:
        await git.read("read-tree", head, env=index_variables)
        await git.read("add", "--all", env=index_variables)
        tree = os.fsdecode(await git.read("write-tree", env=index_variables)).strip()
    changes = await list_changes(git, head, tree)
    thread_tree = ThreadTree(tree, changes, await read_diff(git, head, tree), (), (), ())
    return await _build_commit(git, head, thread_tree)


async def _open_trusted(folder: Path, home: Path) -> tuple[UserGit, str, str]:
    if not check_trust(folder, home).trusted:
        raise UsageError(
            "a commit needs a trusted folder: git runs its hooks", hint="trust it with `/trust`"
        )
    git, prefix, head = await open_repository(folder)
    await _refuse_operation(git)
    return git, prefix, head


async def _refuse_operation(git: UserGit) -> None:
    """Raise UsageError while a merge or its like is open: a commit would end it, with our tree."""
    place = Path(await git.read_text("rev-parse", "--absolute-git-dir"))
    for name, operation in _OPERATIONS.items():
        if (place / name).exists():
            raise UsageError(
                text("a {operation} is in progress in this repository", operation=operation),
                hint=text(
                    "end it with `git {operation} --continue` or `--abort`, then try `/commit` "
                    "again",
                    operation=operation,
                ),
            )


async def _build_commit(git: UserGit, head: str, thread_tree: ThreadTree) -> UserCommit:
    if not thread_tree.files:
        raise UsageError("there is nothing to commit", hint="`/commit all` commits all changes")
    limit = f"--max-count={MAX_EXAMPLES}"
    return UserCommit(
        git,
        head,
        thread_tree.tree,
        tuple(file["path"] for file in thread_tree.files),
        thread_tree.diff,
        await git.read_text("log", limit, "--no-merges", "--format=%B---", head),
        thread_tree.mixed,
        thread_tree.whole,
        tuple(
            f"{secret.path}:{secret.line} ({secret.kind})"
            for secret in find_secrets(thread_tree.diff)
        ),
    )


@asynccontextmanager
async def _open_index() -> AsyncGenerator[dict[str, str]]:
    """Yield the variable that names an index of its own."""
    with TemporaryDirectory(prefix="mcode-") as folder:
        yield {"GIT_INDEX_FILE": str(Path(folder, "index"))}


@asynccontextmanager
async def _open_message(message: str) -> AsyncGenerator[Path]:
    with TemporaryDirectory(prefix="mcode-") as folder:
        file = Path(folder, "message")
        file.write_text(message, encoding="utf-8")
        yield file
