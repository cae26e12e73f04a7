"""A commit on the user's own branch, of what a thread changed or of all changes.

It is built in a temporary index, so that what the user has staged stays staged and uncommitted.
"""

from dataclasses import dataclass
from pathlib import Path

from ...config import paths
from ...config.errors import UsageError
from ...config.security.provenance import Provenance
from ...config.settings.loader import load_settings
from ...config.text import text
from ...config.trust.decision import check_trust
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import FileHistory
from ...memory.undo.undo_stack import find_active_entries, find_reverted_entries
from ...tools.filesystem.project_snapshots import open_snapshots
from ...tools.git.commits import CommitDraft, create_commit
from ...tools.git.hooks import COMMIT_NAMES, find_hooks
from ...tools.git.isolated_git import IsolatedGit, open_isolated_git
from ...tools.git.object_scan import scan_objects
from ...tools.git.tree_diff import list_changes, read_diff
from ...tools.git.user_git import UserGit
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
    unsearched: tuple[str, ...] = ()
    """What is too large, or cannot be read, for the search for secrets."""
    hooks: tuple[Provenance, ...] = ()
    """Git hooks that run."""

    async def make(self, message: str) -> str:
        """Commit with these hooks; return the commit's ID. Raises GitError if one refuses.

        Raises UsageError if others have committed since, since the tree would take their commit
        back, or if a hook is another one.
        """
        await _refuse_operation(self.git)
        if await self.git.read_text("rev-parse", "HEAD") != self.head:
            raise UsageError(
                "others have committed meanwhile; nothing was committed", hint="try `/commit` again"
            )
        async with open_isolated_git(self.git) as isolated:
            hooks = await find_hooks(isolated.repository, isolated.settings, COMMIT_NAMES)
            await hooks.check(self.hooks)
            checkout = await self._open_checkout(isolated)
            commit = await create_commit(isolated, hooks, checkout, CommitDraft(self.head, message))
            note = " ".join(("commit:", message.partition("\n")[0]))
            await isolated.repository.read("update-ref", "-m", note, "HEAD", commit, self.head)
            await hooks.run_after_commit(checkout)
            await self._unstage(isolated)
        return await self.git.read_text("rev-parse", "--short", commit)

    async def _open_checkout(self, isolated: IsolatedGit) -> UserGit:
        """Return git with an index of its own, which has the commit's tree."""
        index = {"GIT_INDEX_FILE": str(isolated.folder / "commit-index")}
        await isolated.git.read("read-tree", self.tree, env=index)
        place = await self.git.read_text("rev-parse", "--absolute-git-dir")
        return isolated.open_checkout(self.git.folder, {"GIT_DIR": place, **index})

    async def _unstage(self, isolated: IsolatedGit) -> None:
        """Make the user's index have what was committed of these files."""
        for at in range(0, len(self.paths), PORTION):
            literal = [f":(top,literal){path}" for path in self.paths[at : at + PORTION]]
            await isolated.repository.read("reset", "--quiet", "--", *literal)


async def plan_thread_commit(row: ThreadRow, home: Path) -> UserCommit:
    """Plan a commit of what the thread changed; raises UsageError if there is nothing."""
    folder = Path(row.folder)
    git, prefix, head = await _open_trusted(folder, home)
    history = FileHistory(paths.locate_database(home))
    entries = history.list_entries(row.thread_id)
    snapshots = open_snapshots(folder, home, load_settings(folder, home).settings)
    async with open_isolated_git(git) as isolated:
        thread_tree = await build_thread_tree(
            isolated,
            prefix,
            head,
            find_active_entries(entries),
            snapshots,
            find_reverted_entries(entries),
        )
        return await _build_commit(isolated, head, thread_tree)


async def plan_whole_commit(folder: Path, home: Path) -> UserCommit:
    """Plan a commit of all changes that git does not ignore; raises UsageError without any."""
    repository, _, head = await _open_trusted(folder, home)
    async with open_isolated_git(repository) as isolated:
        git = isolated.git
        await git.read("read-tree", head)
        await git.read("add", "--all")
        tree = await git.read_text("write-tree")
        changes = await list_changes(git, head, tree)
        await isolated.check_filters([change["path"] for change in changes])
        thread_tree = ThreadTree(tree, changes, await read_diff(git, head, tree), (), (), ())
        return await _build_commit(isolated, head, thread_tree)


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


async def _build_commit(isolated: IsolatedGit, head: str, thread_tree: ThreadTree) -> UserCommit:
    if not thread_tree.files:
        raise UsageError("there is nothing to commit", hint="`/commit all` commits all changes")
    limit = f"--max-count={MAX_EXAMPLES}"
    search = await scan_objects(isolated, (thread_tree.tree,), (head, f"{head}^{{tree}}"))
    hooks = await find_hooks(isolated.repository, isolated.settings, COMMIT_NAMES)
    return UserCommit(
        UserGit(isolated.git.folder),
        head,
        thread_tree.tree,
        tuple(file["path"] for file in thread_tree.files),
        thread_tree.diff,
        await isolated.git.read_text("log", limit, "--no-merges", "--format=%B---", head),
        thread_tree.mixed,
        thread_tree.whole,
        tuple(map(str, search.secrets)),
        search.unsearched,
        hooks.provenances,
    )
