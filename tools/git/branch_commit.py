"""A commit on a branch of its own, made in a checkout of its own.

The user's branch, index and files stay as they are. The hooks that the user agreed to find the
commit's files around them, and the ignored folders (`node_modules`, `.venv`) as links.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from ...config.errors import UsageError
from ...config.text import text
from .commits import CommitDraft, Identity, create_commit
from .hooks import GitHooks
from .isolated_git import IsolatedGit
from .push_addresses import PushAddress
from .tree_diff import list_changes
from .user_git import GitError, UserGit

# The beginning of all branches that are pushed
BRANCHES = "mcode/"
# Most ignored folders that hooks find
MAX_FOLDERS = 200


@dataclass(frozen=True)
class BranchCommit:
    """A commit to make on a branch."""

    branch: str
    base: str
    """Commit that it follows."""
    tree: str
    message: str
    author: Identity
    committer: Identity
    paths: frozenset[str]
    """Files that it changes, by path in the repository."""
    is_first: bool = True
    """Whether it begins the branch."""


@asynccontextmanager
async def open_commit(
    isolated: IsolatedGit, checkout_folder: Path, commit: BranchCommit
) -> AsyncGenerator[UserGit]:
    """Yield git in a new checkout of the commit's files at `place`; removed at the end.

    The commit itself is `make_commit`. What a kill has left at `place` is removed first.
    """
    git = isolated.repository
    await remove_checkout(git, checkout_folder)
    await asyncio.to_thread(checkout_folder.parent.mkdir, parents=True, exist_ok=True)
    await _refuse_checked_out(git, commit.branch)
    tip = await read_branch(git, commit.branch)
    new = () if tip else ("-b", commit.branch)
    start = commit.branch if tip else commit.base
    await git.read("worktree", "add", "--quiet", "--no-checkout", *new, str(checkout_folder), start)
    try:
        checkout = isolated.open_checkout(checkout_folder, {})
        place = await checkout.read_text("rev-parse", "--absolute-git-dir")
        index = {"GIT_DIR": place, "GIT_INDEX_FILE": str(Path(place, "index"))}
        checkout = isolated.open_checkout(checkout_folder, index)
        is_made = tip not in ("", commit.base)
        await isolated.write_files(tip if is_made else commit.tree, checkout)
        await _link_ignored_folders(git, checkout_folder)
        yield checkout
    finally:
        await remove_checkout(git, checkout_folder)


async def make_commit(
    isolated: IsolatedGit, checkout: UserGit, hooks: GitHooks, commit: BranchCommit
) -> str:
    """Commit in the checkout of `open_commit`, with these hooks; return the commit's ID.

    It is made only once: after a kill it is found on the branch. Raises GitError if a hook fails.
    """
    if commit_id := await find_commit(isolated, commit):
        return commit_id
    draft = CommitDraft(commit.base, commit.message, (commit.author, commit.committer))
    try:
        commit_id = await create_commit(isolated, hooks, checkout, draft)
        await _check_files(isolated, commit, commit_id)
    except GitError as error:
        await _drop_branch(isolated.repository, checkout, commit)
        hint = "one of your git hooks may have rejected it; fix that, then run `mcode resume`"
        raise GitError(error.message, hint=error.hint or hint) from error
    branch = f"refs/heads/{commit.branch}"
    await isolated.repository.read("update-ref", branch, commit_id, commit.base)
    await hooks.run_after_commit(checkout)
    return commit_id


async def _check_files(isolated: IsolatedGit, commit: BranchCommit, commit_id: str) -> None:
    """Raise GitError if a hook has added files to the commit."""
    changes = await list_changes(isolated.git, commit.base, commit_id)
    added = {change["path"] for change in changes} - commit.paths
    if added:
        raise GitError(
            text("a hook added other files to the commit: {files}", files=", ".join(sorted(added))),
            hint="nothing was pushed; change the hook so that it adds no files, then run "
            "`mcode resume`",
        )


async def find_commit(isolated: IsolatedGit, commit: BranchCommit) -> str:
    """Return the commit's ID if the branch has it; raises GitError if it has another one."""
    tip = await read_branch(isolated.repository, commit.branch)
    if tip in ("", commit.base):
        return ""
    arguments = ("show", "--no-patch", "--format=%P %ad", "--date=raw", tip)
    last_commit = await isolated.git.read_text(*arguments)
    if last_commit == f"{commit.base} {commit.author.date}":
        return tip
    raise GitError(
        text("the branch `{branch}` has commits of its own", branch=commit.branch),
        hint="rename it with `git branch -m`, then run `mcode resume`",
    )


async def push_commit(
    isolated: IsolatedGit,
    address: PushAddress,
    commit: str,
    branch: str,
    *,
    protected: Collection[str],
    credentials: Mapping[str, str] | None = None,
) -> None:
    """Push the commit to that branch of that address only, without force; can be repeated.

    `credentials` are variables for a user who has none for that address.
    Raises UsageError for a branch that is not ours, or is protected.
    """
    if branch in protected or not branch.startswith(BRANCHES):
        raise UsageError(
            text("will not push to `{branch}`: it is a branch of the repository", branch=branch),
            hint=text("branches of pull requests begin with `{begin}`", begin=BRANCHES),
        )
    flags = ("--quiet", "--no-force", "--no-follow-tags", "--no-verify", "--recurse-submodules=no")
    try:
        await isolated.git.act(
            *("push", *flags, address.url, f"{commit}:refs/heads/{branch}"), env=credentials
        )
    except GitError as error:
        raise GitError(
            error.message, hint="the commit is kept; fix the problem, then run `mcode resume`"
        ) from error


async def read_branch(git: UserGit, branch: str) -> str:
    """Return the commit of a local branch; empty if there is none."""
    arguments = ("rev-parse", "--quiet", "--verify", f"refs/heads/{branch}")
    return await git.read_text(*arguments, allowed_codes=(0, 1))


async def remove_checkout(git: UserGit, checkout_folder: Path) -> None:
    """Remove the checkout at `place`, if there is one; its branch stays."""
    lines = os.fsdecode(await git.read("worktree", "list", "--porcelain")).split("\n")
    real = os.path.realpath(checkout_folder)
    if real in (line.removeprefix("worktree ") for line in lines):
        await git.read("worktree", "remove", "--force", "--force", real)
    await asyncio.to_thread(rmtree, checkout_folder, ignore_errors=True)  # it follows no links


async def _refuse_checked_out(git: UserGit, branch: str) -> None:
    """Raise UsageError if the branch is checked out in the user's working tree."""
    blocks = os.fsdecode(await git.read("worktree", "list", "--porcelain")).split("\n\n")
    for lines in (block.split("\n") for block in blocks):
        if any(line.split(" ")[1:] == [f"refs/heads/{branch}"] for line in lines):
            folder = lines[0].removeprefix("worktree ")
            raise UsageError(
                text(
                    "the branch `{branch}` is checked out in `{folder}`",
                    branch=branch,
                    folder=folder,
                ),
                hint="switch to another branch there, then run `mcode resume`",
            )


async def _drop_branch(git: UserGit, checkout: UserGit, commit: BranchCommit) -> None:
    """Remove the branch of a commit that was not made, if it began with it."""
    await checkout.read("update-ref", "--no-deref", "HEAD", commit.base)
    if commit.is_first:
        await git.read("branch", "--quiet", "-D", commit.branch)


async def _link_ignored_folders(git: UserGit, checkout_folder: Path) -> None:
    """Link the ignored folders of the user's working tree, where the commit has nothing.

    Unlike in a worktree, whole folders are linked: any of them may contain hooks, as with husky.
    """
    arguments = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    top = Path(await git.read_text("rev-parse", "--show-toplevel"))
    output = await UserGit(top).read(*arguments)
    folders = [os.fsdecode(name) for name in output.split(b"\0") if name.endswith(b"/")]
    await asyncio.to_thread(_make_links, top, checkout_folder, folders[:MAX_FOLDERS])


def _make_links(top: Path, checkout_folder: Path, folders: list[str]) -> None:
    for folder in folders:
        link = checkout_folder / folder.rstrip("/")
        if link.parent.is_dir() and not os.path.lexists(link):
            link.symlink_to(top / folder, target_is_directory=True)
