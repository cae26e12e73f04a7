"""A commit on a branch of its own, made in a checkout of its own.

The user's branch, index and files stay as they are. Hooks run as they do for the user: they find
the commit's files around them, and the ignored folders (`node_modules`, `.venv`) as links.
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
from .tree_diff import list_changes
from .user_git import GitError, UserGit

# The beginning of all branches that are pushed
BRANCHES = "mcode/"
# Most ignored folders that hooks find
MAX_FOLDERS = 200


@dataclass(frozen=True)
class Identity:
    """Who writes a commit, and when: the same again makes the same commit."""

    name: str
    email: str
    date: str
    """Seconds since the epoch and the time zone, as git writes them."""


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
    git: UserGit, checkout_folder: Path, commit: BranchCommit
) -> AsyncGenerator[UserGit]:
    """Yield git in a new checkout of the commit's files at `place`; removed at the end.

    The commit itself is `make_commit`. What a kill has left at `place` is removed first.
    """
    await remove_checkout(git, checkout_folder)
    await asyncio.to_thread(checkout_folder.parent.mkdir, parents=True, exist_ok=True)
    await _refuse_checked_out(git, commit.branch)
    tip = await read_branch(git, commit.branch)
    new = () if tip else ("-b", commit.branch)
    start = commit.branch if tip else commit.base
    await git.read("worktree", "add", "--quiet", "--no-checkout", *new, str(checkout_folder), start)
    try:
        checkout = UserGit(checkout_folder)
        is_made = tip not in ("", commit.base)
        await checkout.read("read-tree", "--reset", "-u", tip if is_made else commit.tree)
        await _link_ignored_folders(git, checkout_folder)
        yield checkout
    finally:
        await remove_checkout(git, checkout_folder)


async def make_commit(git: UserGit, commit: BranchCommit) -> str:
    """Commit in the checkout of `open_commit`, with the user's hooks; return the commit's ID.

    It is made only once: after a kill it is found on the branch. Raises GitError if a hook fails.
    """
    if commit_id := await find_commit(git, commit):
        return commit_id
    file = Path(os.fsdecode(await git.read("rev-parse", "--absolute-git-dir")).strip(), "MCODE_MSG")
    await asyncio.to_thread(file.write_text, commit.message, encoding="utf-8")
    try:
        await git.act(
            *("commit", "--quiet", "--cleanup=whitespace", "--file", str(file)),
            env=_build_identities(commit),
        )
    except GitError as error:
        await _drop_branch(git, commit)
        raise GitError(
            error.message,
            hint="one of your git hooks may have rejected it; fix that, then run `mcode resume`",
        ) from error
    return await _check_commit(git, commit)


async def _check_commit(git: UserGit, commit: BranchCommit) -> str:
    """Return the ID of the commit just made; take it back if a hook added files to it."""
    commit_id = await find_commit(git, commit)
    changes = await list_changes(git, commit.base, commit_id) if commit_id else ()
    added = {change["path"] for change in changes} - commit.paths
    if not commit_id or added:
        await _drop_branch(git, commit)
        raise GitError(
            text("a hook added other files to the commit: {files}", files=", ".join(sorted(added))),
            hint="nothing was pushed; change the hook so that it adds no files, then run "
            "`mcode resume`",
        )
    return commit_id


async def find_commit(git: UserGit, commit: BranchCommit) -> str:
    """Return the commit's ID if the branch has it; raises GitError if it has another one."""
    tip = await read_branch(git, commit.branch)
    if tip in ("", commit.base):
        return ""
    last_commit = await git.read_text("show", "--no-patch", "--format=%P %ad", "--date=raw", tip)
    if last_commit == f"{commit.base} {commit.author.date}":
        return tip
    raise GitError(
        text("the branch `{branch}` has commits of its own", branch=commit.branch),
        hint="rename it with `git branch -m`, then run `mcode resume`",
    )


async def push_commit(
    git: UserGit,
    remote: str,
    commit: str,
    branch: str,
    *,
    protected: Collection[str],
    credentials: Mapping[str, str] | None = None,
) -> None:
    """Push the commit to that branch only, without force; can be repeated.

    `credentials` are variables for a user who has none for that remote.
    Raises UsageError for a branch that is not ours, or is protected.
    """
    if branch in protected or not branch.startswith(BRANCHES):
        raise UsageError(
            text("will not push to `{branch}`: it is a branch of the repository", branch=branch),
            hint=text("branches of pull requests begin with `{begin}`", begin=BRANCHES),
        )
    flags = ("--quiet", "--no-force", "--no-follow-tags", "--recurse-submodules=no")
    try:
        await git.act("push", *flags, remote, f"{commit}:refs/heads/{branch}", env=credentials)
    except GitError as error:
        raise GitError(
            error.message, hint="the commit is kept; fix the problem, then run `mcode resume`"
        ) from error


async def read_branch(git: UserGit, branch: str) -> str:
    """Return the commit of a local branch; empty if there is none."""
    arguments = ("rev-parse", "--quiet", "--verify", f"refs/heads/{branch}")
    return await git.read_text(*arguments, allowed_codes=(0, 1))


async def read_identities(git: UserGit) -> tuple[Identity, Identity]:
    """Return author and committer with the current time; raises GitError if git knows no name."""
    author = await git.read_text("var", "GIT_AUTHOR_IDENT")
    return _parse_identity(author), _parse_identity(
        await git.read_text("var", "GIT_COMMITTER_IDENT")
    )


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


async def _drop_branch(git: UserGit, commit: BranchCommit) -> None:
    """Remove a rejected commit, which was never pushed, from the branch."""
    await git.read("checkout", "--quiet", "--force", "--detach", commit.base)
    options = ("-D", commit.branch) if commit.is_first else ("-f", commit.branch, commit.base)
    await git.read("branch", "--quiet", *options)


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


def _build_identities(commit: BranchCommit) -> dict[str, str]:
    return {
        f"GIT_{role}_{field_name}": value
        for role, identity in (("AUTHOR", commit.author), ("COMMITTER", commit.committer))
        for field_name, value in (
            ("NAME", identity.name),
            ("EMAIL", identity.email),
            ("DATE", identity.date),
        )
    }


def _parse_identity(line: str) -> Identity:
    name_and_email, _, date = line.rpartition("> ")
    name, _, email = name_and_email.partition(" <")
    return Identity(name, email, date)
