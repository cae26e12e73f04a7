"""Snapshots and outputs of threads in a git repository that other machines reach.

`storage` of the configuration names it: a folder, or the address of a bare repository. A thread is
`refs/maxagent/THREAD` there, and each of its snapshots a commit whose tree has the project's files
in `files` and the thread's whole outputs in `outputs`. The commits hold every older snapshot, too,
so another machine can undo. The local store of a folder keeps no reference: what a history needs
is decided by `garbage_collection.py` alone.
"""

import asyncio
import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EINVAL, ELOOP, ENOTDIR
from functools import partial
from pathlib import Path

from ...config.errors import MaxAgentError, UsageError
from ...config.remote_url import refuse_password, split_remote_url
from ...config.security.private_files import make_private_folder
from ...config.text import text
from .file_version import FILE, FileVersion
from .git_objects import EMPTY_TREE, touch_object, write_object, write_tree
from .git_repository import GitCommandError, GitStore, find_git, run_in_thread
from .storage import write_atomically
from .working_tree import open_parent

REPOSITORY = "threads.git"
_AUTHOR = "mcode <mcode@localhost>"
_ID = re.compile(r"[0-9a-f]{40}")
_ATTEMPTS = 5
# What git says of a reference that has moved meanwhile
_MOVED = re.compile(r"rejected|non-fast-forward|cannot lock ref|failed to update ref")


@dataclass(frozen=True)
class SharedStorage:
    """The place of the configuration, and the local store of one folder."""

    store: GitStore
    address: str
    _shared: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """The last snapshot and outputs of each thread that are there."""
    _outputs: dict[str, tuple[tuple[int, int], str]] = field(
        default_factory=dict[str, tuple[tuple[int, int], str]]
    )
    """State and blob of each output that was stored."""

    async def push(self, thread_id: str, tree: str, outputs: Path) -> None:
        """Copy a snapshot and the thread's outputs there, unless both are there already."""
        output_tree = await asyncio.to_thread(self._store_outputs, outputs)
        if self._shared.get(thread_id) == (tree, output_tree):
            return
        address, parents = await self._open_repository(), self._read_last(thread_id)
        for _ in range(_ATTEMPTS):
            commit = await asyncio.to_thread(self._write_commit, tree, output_tree, parents)
            try:
                await self._run(
                    "push", "--quiet", "--no-verify", address, f"{commit}:{_ref(thread_id)}"
                )
            except GitCommandError as error:
                if not await self._has_history(parents):
                    parents = ()  # `threads prune` has deleted it here
                elif not _MOVED.search(error.message):
                    raise self._translate(error) from error
                # another machine has added to the thread: both histories are kept
                other = await self._fetch_commit(address, thread_id, parents)
                parents = tuple(dict.fromkeys([*parents, *filter(None, [other])]))
                continue
            self.record_last(thread_id, commit)
            self._shared[thread_id] = tree, output_tree
            return
        raise MaxAgentError(
            text("thread `{thread_id}` changes too fast in `storage`", thread_id=thread_id[:8]),
            hint="look whether another machine runs it, then continue with `mcode resume`",
        )

    async def fetch(self, thread_id: str, outputs: Path) -> tuple[str, str]:
        """Copy what other machines have added to the thread; return its last snapshot and commit.

        Both are empty if there is nothing new. `record_last` says that the files are here.
        """
        address, parents = await self._open_repository(), self._read_last(thread_id)
        commit = await self._fetch_commit(address, thread_id, parents)
        if not commit or (commit,) == parents:
            return "", ""
        tree = (await self._run("rev-parse", f"{commit}:files")).decode().strip()
        await self._write_outputs(commit, outputs)
        return tree, commit

    async def delete(self, thread_id: str) -> None:
        """Delete what is there of a thread that is deleted."""
        address = await self._open_repository()
        if await self._fetch_commit(address, thread_id, (), only_name=True):
            try:
                await self._run("push", "--quiet", "--no-verify", address, f":{_ref(thread_id)}")
            except GitCommandError as error:
                raise self._translate(error) from error

    async def _fetch_commit(
        self, address: str, thread_id: str, parents: tuple[str, ...], *, only_name: bool = False
    ) -> str:
        """Return the newest commit of the thread there, whose objects are here now."""
        try:
            listing = await self._run("ls-remote", address, _ref(thread_id))
            commit = listing[:40].decode()
            if not _ID.fullmatch(commit):
                return ""
            if only_name or (commit,) == parents:
                return commit
        except GitCommandError as error:
            raise self._translate(error) from error
        await self._fetch_history(address, thread_id, parents)
        return commit

    async def _fetch_history(self, address: str, thread_id: str, tips: tuple[str, ...]) -> None:
        """Fetch the commits of the thread; what is known of them may have been pruned here."""
        fetch = ("fetch", "--quiet", "--no-tags", "--no-auto-gc")
        negotiation = [f"--negotiation-tip={tip}" for tip in tips]
        for options in (negotiation, ["--refetch"]):
            with suppress(GitCommandError):
                await self._run(*fetch, *options, address, _ref(thread_id))
                return
        try:
            await self._run(*fetch, address, _ref(thread_id))  # before git 2.36
        except GitCommandError as error:
            raise self._translate(error) from error

    async def _has_history(self, commits: tuple[str, ...]) -> bool:
        """Return whether all objects of these commits, and of those before, are here."""
        if not commits:
            return True
        try:
            await self._run("rev-list", "--objects", "--quiet", *commits, "--")
        except GitCommandError:
            return False
        return True

    async def _open_repository(self) -> str:
        """Return the address for git; create the repository in a folder of the configuration."""
        refuse_password(self.address)
        await asyncio.to_thread(self._prepare_store)
        if split_remote_url(self.address):
            return self.address
        folder = Path(self.address).expanduser()
        if not folder.is_absolute():
            raise UsageError(
                text("`storage` is no absolute folder and no address: `{address}`", address=folder),
                hint="write the whole path, such as `/srv/threads`, or the URL of a repository",
            )
        repository = folder / REPOSITORY
        if not await asyncio.to_thread((repository / "HEAD").exists):
            try:
                await asyncio.to_thread(_create_repository, self.store.program, repository)
            except OSError as error:
                raise self._build_error(error.strerror or "?") from error
        return str(repository)

    def _prepare_store(self) -> None:
        if not self.store.is_there():
            make_private_folder(self.store.directory)
            self.store.create(b"")

    async def _run(self, *arguments: str) -> bytes:
        return await run_in_thread(partial(self.store.run_git, network=True), *arguments)

    def _translate(self, error: GitCommandError) -> MaxAgentError:
        return self._build_error(error.message)

    def _build_error(self, reason: str) -> MaxAgentError:
        return MaxAgentError(
            text(
                "cannot reach the threads' files in `storage` ({address}): {reason}",
                address=hide_password(self.address),
                reason=reason,
            ),
            hint="check that it is there and that you may write to it; then continue with "
            "`mcode resume`",
        )

    def _build_path_error(self, path: str) -> MaxAgentError:
        return MaxAgentError(
            text(
                "`storage` ({address}) has an output with a path outside its folder: `{path}`",
                address=hide_password(self.address),
                path=path,
            ),
            hint="nothing was written there; find out who may write to `storage`, and delete the "
            "thread if you do not trust it",
        )

    def _write_commit(self, tree: str, outputs: str, parents: tuple[str, ...]) -> str:
        objects = self.store.directory / "objects"
        if tree == EMPTY_TREE:
            write_object(objects, "tree", b"")
        entries = (
            f"40000 {name}\0".encode() + bytes.fromhex(item)
            for name, item in (("files", tree), ("outputs", outputs))
        )
        root = write_object(objects, "tree", b"".join(entries))
        above = [("parent", parent) for parent in parents]
        stamp = f"{_AUTHOR} {int(time.time())} +0000"
        fields = [("tree", root), *above, ("author", stamp), ("committer", stamp)]
        head = "".join(" ".join(field) + "\n" for field in fields)
        return write_object(objects, "commit", f"{head}\nsnapshot\n".encode())

    def _store_outputs(self, outputs: Path) -> str:
        """Store the thread's outputs; return their tree."""
        objects, files = self.store.directory / "objects", dict[bytes, FileVersion]()
        self._prepare_store()
        for path in sorted(outputs.rglob("*")) if outputs.is_dir() else ():
            if path.is_file() and not path.is_symlink():
                state = path.stat()
                mark = state.st_mtime_ns, state.st_size
                stored = self._outputs.get(str(path))
                blob = stored[1] if stored and stored[0] == mark else ""
                if not (blob and touch_object(objects, blob)):
                    blob = write_object(objects, "blob", path.read_bytes())
                self._outputs[str(path)] = mark, blob
                files[os.fsencode(path.relative_to(outputs))] = FileVersion(FILE, blob)
        return write_tree(objects, files)

    async def _write_outputs(self, commit: str, outputs: Path) -> None:
        """Write the outputs of a commit that are not here; raises MaxAgentError for a wrong path.

        Anyone who can push to the storage chooses the paths.
        """
        listing = await self._run("ls-tree", "-r", "-z", f"{commit}:outputs")
        for entry in filter(None, listing.split(b"\0")):
            described, name = entry.split(b"\t", 1)
            path = os.fsdecode(name)
            try:
                if await asyncio.to_thread(_is_missing, outputs, path):
                    content = await self._run("cat-file", "blob", described[-40:].decode())
                    await asyncio.to_thread(_write_output, outputs, path, content)
            except OSError as error:
                if error.errno not in (EINVAL, ELOOP, ENOTDIR):
                    raise
                raise self._build_path_error(path) from error

    def _read_last(self, thread_id: str) -> tuple[str, ...]:
        """Return the last commit of the thread that is parents here; empty if there is none."""
        with suppress(OSError):
            commit = (self.store.directory / "shared" / thread_id).read_text()
            if _ID.fullmatch(commit):
                return (commit,)
        return ()

    def record_last(self, thread_id: str, commit: str) -> None:
        """Record that the files of the commit are in the folder."""
        make_private_folder(self.store.directory / "shared")
        write_atomically(self.store.directory / "shared" / thread_id, commit.encode())


def _ref(thread_id: str) -> str:
    return f"refs/maxagent/{thread_id}"


def delete_shared(address: str, thread_id: str) -> None:
    """Delete what the storage has of a thread. Blocks; an event loop may run."""
    program = find_git()
    if program is None:
        return
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(1) as pool:
        folder = Path(name)
        store = GitStore(folder, folder, folder, folder / "no-index", program)
        pool.submit(asyncio.run, SharedStorage(store, address).delete(thread_id)).result()


def hide_password(address: str) -> str:
    """Return the address without user and password."""
    return re.sub(r"(?<=://)[^/@]*@", "", address)


def _is_missing(outputs: Path, path: str) -> bool:
    """Return whether nothing is at the path; create its folders."""
    make_private_folder(outputs)
    with open_parent(outputs, path, create=True) as (parent, name):
        return name not in os.listdir(parent)


def _write_output(outputs: Path, path: str, content: bytes) -> None:
    with open_parent(outputs, path) as (parent, name):
        draft = f"{name}.{os.getpid()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(draft, flags, 0o600, dir_fd=parent), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, name, src_dir_fd=parent, dst_dir_fd=parent)


def _create_repository(program: str, repository: Path) -> None:
    """Create the bare repository; of two processes that do it at once, one wins."""
    import subprocess

    repository.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{REPOSITORY}-", dir=repository.parent))
    environ: Mapping[str, str] = {"PATH": os.defpath, "GIT_CONFIG_GLOBAL": os.devnull}
    command = [program, "init", "--quiet", "--bare", "--template=", str(draft)]
    try:
        subprocess.run(command, check=True, env=environ, capture_output=True)
        draft.rename(repository)
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(draft, ignore_errors=True)
        if not (repository / "HEAD").exists():
            raise OSError(0, str(error)) from error
