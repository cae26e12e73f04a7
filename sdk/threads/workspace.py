"""The folder of a thread on this machine: its project's, or a clone of a repository.

A thread whose option `workspace` names a repository and a commit works in a clone below the data
folder; each machine makes its own, and the thread's row names that of the machine that had it last.
"""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

from ...config import paths
from ...config.errors import MaxAgentError, UsageError
from ...config.git.environment import build_git_environment, read_git_failure
from ...config.remote_url import refuse_password, split_remote_url
from ...config.security.executables import build_search_path, find_program
from ...config.security.file_lock import acquire_file_lock
from ...config.security.private_files import make_private_folder
from ...config.text import text
from ...memory.snapshots.git_repository import get_work, run_in_thread
from ...memory.snapshots.shared_storage import hide_password
from ...memory.snapshots.storage import hash_texts
from ...memory.snapshots.store import Snapshots
from ...memory.threads.index import ThreadIndex
from ...memory.threads.lease import acquire_lease
from ...memory.threads.record import ThreadRow
from ...memory.undo.handover import fetch_files
from ...memory.undo.history import FileHistory

Result = TypeVar("Result")
# Seconds for one git command on the network
_TIMEOUT = 600.0
_HEX = set("0123456789abcdef")


def resolve_workspace(spec: str) -> str:
    """Return `URL#COMMIT` of a repository's `URL#REF`; without `#REF` of its default branch.

    Asks the repository, so that every machine begins from the same commit. Raises UsageError.
    """
    url, _, ref = spec.partition("#")
    refuse_password(url)
    if split_remote_url(url) is None:
        url = os.path.abspath(os.path.expanduser(url))
    if len(ref) == 40 and _HEX.issuperset(ref):
        return f"{url}#{ref}"
    return f"{url}#{_find_commit(url, ref or 'HEAD')}"


def _find_commit(url: str, ref: str) -> str:
    """Return the commit of a branch, a tag, or the whole name of a reference; raises UsageError.

    `git ls-remote` matches ends of names: `main` is `feature/main` as well.
    """
    names = [ref, f"refs/{ref}", f"refs/heads/{ref}", f"refs/tags/{ref}"]
    listing = _run_git("ls-remote", "--", url, *names, *(f"{name}^{{}}" for name in names))
    lines = (line.partition("\t") for line in listing.splitlines())
    commits = {name: commit for commit, _, name in lines}
    # what an annotated tag points to
    matches = [commits.get(f"{name}^{{}}") or commits.get(name) for name in names]
    exact, short, branch, tag = matches
    if not any(matches):
        raise UsageError(
            text("`{url}` has no `{ref}`", url=hide_password(url), ref=ref),
            hint="name a branch, a tag, or a whole commit: `URL#REF`",
        )
    if not (exact or short) and branch and tag and branch != tag:
        raise UsageError(
            text("`{url}` has a branch and a tag `{ref}`", url=hide_password(url), ref=ref),
            hint="write `refs/heads/` or `refs/tags/` before the name",
        )
    return exact or short or branch or tag or ""


def open_workspace(row: ThreadRow, home: Path) -> ThreadRow:
    """Return the thread with its folder on this machine; clone its repository if needed. Blocks.

    Raises ThreadBusyError if another machine runs it now.
    """
    spec = cast("Mapping[str, str]", row.options or {}).get("workspace", "")
    if not spec:
        return row
    folder = locate_clone(home, row.thread_id, spec)
    if row.folder == str(folder) and folder.is_dir():
        return row
    with acquire_lease(home, row.thread_id):
        if not folder.is_dir():
            run_aside(_clone(home, spec, folder))
        if row.folder != str(folder):
            index = ThreadIndex(home)
            index.move(row.thread_id, row.folder, str(folder))
            return index.get(row.thread_id)
    return row


def is_cloned(row: ThreadRow, home: Path) -> bool:
    """Return whether the thread can be worked on here without a clone being made."""
    spec = cast("Mapping[str, str]", row.options or {}).get("workspace", "")
    return not spec or locate_clone(home, row.thread_id, spec).is_dir()


def locate_clone(home: Path, thread_id: str, spec: str) -> Path:
    """Return the folder of a thread's clone."""
    url = spec.partition("#")[0]
    name = url.rstrip("/").removesuffix(".git").rpartition("/")[2].rpartition(":")[2] or "project"
    container = Path(os.path.realpath(paths.locate_workspace(home, thread_id)))
    return container / hash_texts(url) / name


async def fetch_thread_files(
    thread_id: str, folder: str, home: Path, snapshots: Snapshots, history: FileHistory
) -> None:
    """Bring the files that another machine has changed, if a storage is configured.

    The caller holds the thread's lease.
    """
    clones = Path(os.path.realpath(paths.locate_workspace(home, thread_id)))
    entries = await asyncio.to_thread(history.list_entries, thread_id)
    await fetch_files(
        snapshots,
        entries,
        thread_id,
        paths.locate_outputs(home, thread_id),
        has_other_files=not Path(folder).is_relative_to(clones),
    )


def run_aside(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, whether or not this thread has a running loop. Blocks."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def _clone(home: Path, spec: str, folder: Path) -> None:
    """Clone the repository at the commit, by a copy on this machine that its other clones use."""
    url, _, commit = spec.partition("#")
    refuse_password(url)
    copies = paths.ensure_data_folder(home) / "clones"
    make_private_folder(copies)
    copy = copies / f"{hash_texts(url)}.git"
    async with acquire_file_lock(copies / f"{hash_texts(url)}.lock"):
        await run_in_thread(_update_copy, copy, url, commit)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}")
    make_private_folder(folder.parent)
    await asyncio.to_thread(shutil.rmtree, draft, ignore_errors=True)
    clone = ("clone", "--quiet", "--no-checkout", "--template=", "--", str(copy), str(draft))
    await asyncio.to_thread(_run_git, *clone)
    inside = ("-C", str(draft))
    await asyncio.to_thread(_run_git, *inside, "remote", "set-url", "origin", hide_password(url))
    await asyncio.to_thread(_run_git, *inside, "checkout", "--quiet", "--detach", commit)
    await asyncio.to_thread(draft.rename, folder)


def _update_copy(copy: Path, url: str, commit: str) -> None:
    """Make the copy have the commit; its lock is held until git has ended. Blocks."""
    if not copy.is_dir():
        draft = copy.with_suffix(".new")
        shutil.rmtree(draft, ignore_errors=True)
        _run_git("clone", "--quiet", "--mirror", "--", url, str(draft))
        draft.rename(copy)
    elif not _has_commit(copy, commit):
        _run_git("-C", str(copy), "fetch", "--quiet", "--prune")
    if not _has_commit(copy, commit):
        _run_git("-C", str(copy), "fetch", "--quiet", url, commit)


def _has_commit(copy: Path, commit: str) -> bool:
    try:
        _run_git("-C", str(copy), "cat-file", "-e", f"{commit}^{{commit}}")
    except MaxAgentError:
        return False
    return True


def _run_git(*arguments: str) -> str:
    """Run git with the user's logins; no hook of a repository runs. Blocks."""
    program = find_program("git")
    if program is None:
        raise MaxAgentError("a workspace needs git, and git is not installed", hint="install git")
    if reason := read_git_failure(program, build_search_path()):
        raise MaxAgentError(
            text("git does not work: `{program}` says `{reason}`", program=program, reason=reason),
            hint="repair or reinstall git; on macOS run `xcode-select --install`",
        )
    environ = build_git_environment(network=True) | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    environ = {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes", **environ}
    safe = ("-c", f"core.hooksPath={os.devnull}", "-c", "protocol.ext.allow=never")
    work, argv = get_work(), [program, *safe, *arguments]
    started = work.start(argv, Path(), environ, subprocess.DEVNULL, (), has_helpers=True)
    try:
        output, complaints = started.communicate(timeout=_TIMEOUT)
    except subprocess.TimeoutExpired as error:
        work.kill()
        started.communicate()
        raise MaxAgentError(
            text("git did not end within {seconds} seconds", seconds=f"{_TIMEOUT:g}"),
            hint="check the network and the repository, then try again",
        ) from error
    work.check()  # killed since its task was cancelled
    if started.returncode:
        complaint = hide_password(complaints.decode("utf-8", "replace").strip())
        raise MaxAgentError(
            text(
                "git {command} failed: {reason}", command=_name_command(arguments), reason=complaint
            ),
            hint="check the repository's address, and that git may read it without a question",
        )
    return output.decode("utf-8", "replace")


def _name_command(arguments: tuple[str, ...]) -> str:
    return arguments[2] if arguments[0] == "-C" else arguments[0]
