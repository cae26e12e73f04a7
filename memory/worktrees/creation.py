"""Creation of a worktree from a snapshot of a project."""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from ...config.errors import MaxAgentError
from ...config.git.environment import build_git_environment
from ...config.security.executables import build_search_path
from ...config.security.file_lock import acquire_file_lock
from ...config.security.private_files import make_private_folder
from ...config.text import text
from ..snapshots.exclusions import Exclusions
from ..snapshots.git_ls_files import find_git_directories
from ..snapshots.git_repository import find_git, run_in_thread
from ..snapshots.store import Snapshots
from .dependencies import copy_large_files, provide_dependencies
from .folder_links import link_neighbours
from .record import Worktree, locate_worktree, read_record, save_record
from .removal import delete_container, locate_lock

# Settings of the project's repository: how files are compared, and who commits
_COPIED_SETTINGS = frozenset(
    [
        "core.autocrlf",
        "core.eol",
        "core.filemode",
        "core.ignorecase",
        "core.precomposeunicode",
        "core.quotepath",
        "core.safecrlf",
        "core.symlinks",
        "extensions.objectformat",
        "user.email",
        "user.name",
    ]
)
# Files beside the index that git needs to read it, or history
_REPOSITORY_FILES = ("shallow", "info/exclude", "info/attributes")
TIMEOUT = 120.0


def copy_git_dir(top: Path, new_top: Path, program: str) -> Path:
    """Create `.git` in the new top as in the repository at `top`; return the objects it reads.

    Raises MaxAgentError if the repository cannot be read.
    """
    try:
        git_dir, common = map(_resolve, find_git_directories(top))
        new = new_top / ".git"
        for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
            (new / part).mkdir(parents=True)
        (new / "objects" / "info" / "alternates").write_bytes(
            os.fsencode(common / "objects") + b"\n"
        )
        for name in _REPOSITORY_FILES:
            with suppress(FileNotFoundError):
                shutil.copyfile(common / name, new / name)
        for index in (git_dir / "index", *git_dir.glob("sharedindex.*")):
            with suppress(FileNotFoundError):
                shutil.copyfile(index, new / index.name)
    except (OSError, UnicodeError) as error:
        message = text(
            "the git repository in `{folder}` cannot be copied: {reason}", folder=top, reason=error
        )
        raise MaxAgentError(message, hint="check it with `git status`") from error
    (new / "packed-refs").write_bytes(_list_refs(git_dir, new_top, program))
    (new / "HEAD").write_bytes(_read_head(git_dir, new_top, program))
    _copy_config(git_dir, new, program)
    return common / "objects"


def hide_missing_files(worktree: Worktree, files: Collection[str], program: str) -> list[str]:
    """Tell git not to look for tracked files that the worktree does not have.

    `files` are those that it has. Return the missing files that the project has. A file that the
    project does not have either counts as deleted in both.
    """
    git_dir, top = worktree.top / ".git", os.fsencode(worktree.repository or worktree.project)
    prefix = _get_prefix(worktree)
    present = {prefix + os.fsencode(path) for path in files}
    tracked = _run_git(program, git_dir, worktree.top, "ls-files", "-z").split(b"\0")
    absent = [path for path in tracked if path and path not in present]
    missing = [
        path
        for path in absent
        if not path.startswith(prefix) or os.path.lexists(os.path.join(top, path))
    ]
    if missing:
        stdin = b"".join(path + b"\0" for path in missing)
        flags = ("update-index", "-z", "--skip-worktree", "--stdin")
        _run_git(program, git_dir, worktree.top, *flags, stdin=stdin)
    return [os.fsdecode(path[len(prefix) :]) for path in missing if path.startswith(prefix)]


def _get_prefix(worktree: Worktree) -> bytes:
    """Return the project's folder in its repository; empty, or ending with a slash."""
    if worktree.folder == worktree.top:
        return b""
    return os.fsencode(worktree.folder.relative_to(worktree.top)) + b"/"


def exclude_paths(top: Path, paths: Iterable[str]) -> None:
    """Let git ignore these paths, relative to the top."""
    with (top / ".git" / "info" / "exclude").open("ab") as file:
        for path in paths:
            escaped = re.sub(rb"([\\*?\[ ])", rb"\\\1", os.fsencode(path))
            file.write(b"/" + escaped + b"\n")


def _resolve(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _list_refs(git_dir: Path, folder: Path, program: str) -> bytes:
    """List all branches and tags in the format of `packed-refs`."""
    return _run_git(program, git_dir, folder, "for-each-ref", "--format=%(objectname) %(refname)")


def _read_head(git_dir: Path, folder: Path, program: str) -> bytes:
    branch = _run_git(program, git_dir, folder, "symbolic-ref", "-q", "HEAD", allowed_codes=(0, 1))
    if branch:
        return b"ref: " + branch
    return _run_git(program, git_dir, folder, "rev-parse", "--verify", "HEAD")


def _copy_config(git_dir: Path, new: Path, program: str) -> None:
    output = _run_git(
        program, git_dir, new.parent, "config", "--local", "--list", "-z", allowed_codes=(0, 1)
    )
    pairs = dict(entry.split("\n", 1) for entry in os.fsdecode(output).split("\0") if "\n" in entry)
    format_version = "1" if "extensions.objectformat" in pairs else "0"
    settings = {"core.repositoryformatversion": format_version, "core.bare": "false"}
    settings |= {key: value for key, value in pairs.items() if key in _COPIED_SETTINGS}
    (new / "config").touch()
    for key, value in settings.items():
        _run_git(program, new, new.parent, "config", "--file", str(new / "config"), key, value)


def _run_git(
    program: str,
    git_dir: Path,
    folder: Path,
    *arguments: str,
    stdin: bytes = b"",
    allowed_codes: Sequence[int] = (0,),
) -> bytes:
    """Run git on a repository, without the user's or the system's configuration."""
    options = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
    completed = subprocess.run(
        [program, *options, *arguments],
        cwd=folder,
        env=_build_environment(git_dir, folder),
        input=stdin,
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    if completed.returncode not in allowed_codes:
        stderr = completed.stderr.decode("utf-8", "replace").strip()
        raise MaxAgentError(
            text("git {arguments} failed: {words}", arguments=arguments[0], words=stderr)
        )
    return completed.stdout


def _build_environment(git_dir: Path, folder: Path) -> dict[str, str]:
    return build_git_environment() | {
        "PATH": build_search_path(folder),
        "GIT_DIR": str(git_dir),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }


async def create_worktree(
    snapshots: Snapshots,
    *,
    thread_id: str,
    key: str,
    tree: str,
    sandboxed: bool,
    has_own_thread: bool = False,
) -> Worktree:
    """Return the worktree of this thread and key; create it from the snapshot if there is none.

    `snapshots` are the project's. The worktree gets the files of the snapshot `tree`, and the
    dependencies that git ignores. `sandboxed`: commands in it cannot write elsewhere;
    `has_own_thread`: another thread than `thread_id` works in it. An incomplete worktree of a
    killed process is created again. Raises MaxAgentError without git, or on a full disk.
    """
    container = locate_worktree(snapshots.directory, thread_id, key)
    await asyncio.to_thread(make_private_folder, container.parent)
    async with acquire_file_lock(locate_lock(container)):
        if (existing := await asyncio.to_thread(read_record, container)) is not None:
            return existing
        await run_in_thread(delete_container, container)
        try:
            owner = (thread_id, key, has_own_thread)
            return await _create(snapshots, container, owner, tree, sandboxed)
        except BaseException:
            await run_in_thread(delete_container, container)
            raise


async def _create(
    snapshots: Snapshots,
    container: Path,
    owner: tuple[str, str, bool],
    tree: str,
    sandboxed: bool,
) -> Worktree:
    project, exclusions = snapshots.folder, snapshots.exclusions
    repository = await run_in_thread(snapshots.git_files.find_repository)
    source_top = repository or project
    top = container / (source_top.name or "root")
    folder = top / project.relative_to(source_top)
    await asyncio.to_thread(make_private_folder, folder)
    objects = None
    if repository:
        objects = await asyncio.to_thread(copy_git_dir, repository, top, _find_program(project))
    copy_snapshots = snapshots.open_for_folder(folder)
    files = await run_in_thread(copy_snapshots.git_files.check_out, tree)
    worktree = Worktree(folder, top, project, repository, objects, tree, *owner)
    if repository:
        await asyncio.to_thread(
            _complete_repository, worktree, files, exclusions, sandboxed=sandboxed
        )
    ignored = await run_in_thread(snapshots.git_files.list_ignored)
    await asyncio.to_thread(
        provide_dependencies, ignored, project, folder, exclusions, use_links=sandboxed
    )
    await asyncio.to_thread(save_record, worktree)
    return worktree


def _find_program(project: Path) -> str:
    return find_git(project) or "git"


def _complete_repository(
    worktree: Worktree, files: Sequence[str], exclusions: Exclusions, *, sandboxed: bool
) -> None:
    """Hide from git the files that the snapshot does not have; add large files and neighbours."""
    repository = worktree.repository or worktree.project
    missing_files = hide_missing_files(worktree, files, _find_program(worktree.project))
    copy_large_files(missing_files, worktree.project, worktree.folder, exclusions)
    if sandboxed and worktree.folder != worktree.top:
        neighbours = link_neighbours(repository, worktree, exclusions)
        exclude_paths(worktree.top, neighbours)
