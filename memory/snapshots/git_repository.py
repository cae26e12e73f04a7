"""Git's object store for one folder, apart from the user's repository, and git runs on it.

The user's repository, index, hooks, signing, filters and configuration are never touched nor used:
the store has its own directory and configuration, and `GIT_*` variables are removed.
"""

import asyncio
import contextvars
import os
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Lock
from typing import ParamSpec, TypeVar

from ...config.errors import MaxAgentError
from ...config.git.environment import build_git_environment, read_git_failure
from ...config.security.executables import build_search_path, find_program
from ...config.security.private_files import make_private_folder
from ...config.text import text
from .storage import hash_texts, write_atomically

# A checkpoint that names a tree must not outlive it in a power failure: git syncs its objects to
# disk before the index names them. Git before 2.36 ignores these two lines.
# No reference names a snapshot, so `git gc` would take all of them for rubbish
_CONFIG = """[core]
\trepositoryformatversion = 1
\tbare = false
\tfilemode = true
\tsymlinks = true
\tautocrlf = false
\tfsmonitor = false
\thooksPath = /dev/null
\tquotePath = false
\tsharedRepository = 0600
\tprotectNTFS = false
\tprotectHFS = false
\tfsync = loose-object,index
\tfsyncMethod = batch
[pack]
\tcompression = 1
[gc]
\tauto = 0
[extensions]
\tpreciousObjects = true
"""
# Overrides every `.gitattributes` of the project: bytes are stored and restored unchanged
_ATTRIBUTES = "* -text -ident -filter -working-tree-encoding !diff !eol !merge\n"
_ENTRIES = struct.Struct(">4x4xL")
_ENTRY = struct.Struct(">36xL20xH")


# Git's message for a full disk
FULL = "No space left on device"


# Seconds for one git command: a first snapshot is slow, a pipe named `.gitignore` never ends
TIMEOUT = 300.0


class GitTimeoutError(MaxAgentError):
    """Git timed out."""


class GitCommandError(MaxAgentError):
    """Git failed; the message is git's own."""


class WorkCancelled(Exception):
    """Raised in a thread whose work was cancelled."""


@dataclass
class Work:
    """What a thread does, with the git that runs for it."""

    process: "Popen[bytes] | None" = None
    has_helpers: bool = False
    """Whether git starts others, such as ssh, which would keep its pipes open."""
    is_cancelled: bool = False
    lock: Lock = field(default_factory=Lock)

    def start(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        stdin: int,
        keep: Sequence[int],
        *,
        has_helpers: bool,
    ) -> "Popen[bytes]":
        """Start git; raises WorkCancelled and OSError."""
        with self.lock:
            self.check()
            self.has_helpers = has_helpers
            self.process = Popen(
                argv,
                cwd=folder,
                env=environment,
                stdin=stdin,
                stdout=PIPE,
                stderr=PIPE,
                pass_fds=keep,
                process_group=0 if has_helpers else None,
            )
            return self.process

    def check(self) -> None:
        """Raise WorkCancelled if nobody waits for it any more."""
        if self.is_cancelled:
            raise WorkCancelled

    def cancel(self) -> None:
        """Kill its git, and start no other."""
        with self.lock:
            self.is_cancelled = True
            self.kill()

    def kill(self) -> None:
        """Kill its git if it runs, with the programs that git has started for the network."""
        if self.process is None or self.process.returncode is not None:
            return
        if self.has_helpers:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, SIGKILL)
        self.process.kill()


_current = contextvars.ContextVar[Work]("work")
_P = ParamSpec("_P")
_T = TypeVar("_T")


def get_work() -> Work:
    """Return the work of this thread."""
    return _current.get(None) or Work()


async def run_in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run a function that runs git in a thread; cancelled, its git is killed and it has ended."""
    work, context = Work(), contextvars.copy_context()
    context.run(_current.set, work)
    thread = asyncio.ensure_future(asyncio.to_thread(context.run, function, *args, **kwargs))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        work.cancel()
        await asyncio.wait([thread])
        thread.exception()  # read, so that nobody reports it
        raise


def find_git(*projects: Path) -> str | None:
    """Return git's absolute path; ignore any git inside these folders, and one that fails."""
    program = find_program("git", outside=projects)
    if program is None or read_git_failure(program, build_search_path(*projects)):
        return None
    return program


@dataclass(frozen=True)
class GitStore:
    """The store in `directory` of the files of `folder`."""

    folder: Path
    directory: Path
    top: Path
    """The top of the work tree for git: the folder, or a parent whose rules apply as well."""
    index: Path
    program: str
    """Git's path."""
    projects: Sequence[Path] = ()
    """Other projects whose programs git must not start, in addition to those of `folder`."""

    @property
    def prefix(self) -> str:
        """The folder below `top`; empty, or ending with a slash."""
        return "" if self.top == self.folder else f"{self.folder.relative_to(self.top)}/"

    @property
    def last_tree(self) -> Path:
        """The file that names the last snapshot: its permissions are in no index."""
        return self.index.with_name(f"last-{self.index.name}")

    def is_there(self) -> bool:
        """Return whether git can work with the store."""
        return (self.directory / "HEAD").exists()

    def create(self, excludes: bytes) -> None:
        """Create or repair the store, by hand so that no template and no hook is copied.

        `excludes` are the rules of the user's own `info/exclude`.
        """
        for part in ("objects/info", "objects/pack", "refs", "info"):
            make_private_folder(self.directory / part)
        write_atomically(self.directory / "config", _CONFIG.encode())
        write_atomically(self.directory / "info" / "attributes", _ATTRIBUTES.encode())
        write_atomically(self.directory / "info" / "exclude", excludes)
        write_atomically(self.directory / "HEAD", b"ref: refs/heads/none\n")

    def unlock_index(self) -> None:
        """Delete the lock that a killed git has left; call it only while no git runs."""
        Path(f"{self.index}.lock").unlink(missing_ok=True)

    def forget_index(self) -> None:
        """Reset the index: git reads every file again, and nothing else is lost."""
        self.index.unlink(missing_ok=True)

    def read_index_state(self) -> object:
        """Return a state that differs after each write to the index; None if there is no index."""
        try:
            index_stat = self.index.stat()
        except FileNotFoundError:
            return None
        return (index_stat.st_ino, index_stat.st_mtime_ns, index_stat.st_size)

    def count_index_files(self) -> int:
        return count_entries(self.index)

    def measure_index(self) -> int:
        """Return the total size of all files in the index; its format: `git help format-index`."""
        index = self.index.read_bytes() if self.index.exists() else b""
        at, total = _ENTRIES.size, 0
        for _ in range(self.count_index_files()):
            size, flags = _ENTRY.unpack_from(index, at)
            name = flags & 0xFFF
            if name == 0xFFF:  # too long for the field
                name = index.index(b"\0", at + _ENTRY.size) - at - _ENTRY.size
            at += (_ENTRY.size + name + 8) // 8 * 8
            total += size
        return total

    def run_git(
        self,
        *arguments: str,
        stdin: bytes = b"",
        keep: Sequence[int] = (),
        one_pack: bool = False,
        network: bool = False,
        allowed_codes: Collection[int] = (0,),
    ) -> bytes:
        """Run git in the folder, return its output; raises GitCommandError, GitTimeoutError.

        `stdin` is its standard input, `keep` descriptors that stay open until git exits.
        `one_pack`: contents go into one pack, not into a file each. `network`: with the user's
        logins. `allowed_codes`: exit codes of success. It blocks: see `run_in_thread`.
        """
        options = ["-c", "core.bigFileThreshold=1"] if one_pack else []
        work = get_work()
        try:
            process = work.start(
                [self.program, *options, *arguments],
                self.folder,
                self._build_environment(network),
                PIPE if stdin else DEVNULL,
                keep,
                has_helpers=network,
            )
        except OSError as error:
            message = "cannot run git in `{folder}`: {strerror}"
            raise GitCommandError(
                text(message, folder=self.folder, strerror=error.strerror)
            ) from error
        with process:
            try:
                printed, complaint = process.communicate(stdin or None, TIMEOUT)
            except BaseException as error:
                work.kill()
                if isinstance(error, TimeoutExpired):
                    raise _build_timeout_error(self.folder, arguments, network) from error
                raise
        if process.returncode not in allowed_codes:
            work.check()
            words = complaint.decode("utf-8", "replace").strip()
            words = words or text("exit {returncode}", returncode=process.returncode)
            raise GitCommandError(
                text("git {arguments} failed: {words}", arguments=arguments[0], words=words),
                hint="check that `git --version` works; `mcode doctor` shows which git is used",
            )
        return printed

    def _build_environment(self, network: bool = False) -> dict[str, str]:
        environ = build_git_environment(network=network) | {
            "PATH": build_search_path(self.folder, *self.projects),
            "GIT_DIR": str(self.directory),
            "GIT_WORK_TREE": str(self.top),
            "GIT_INDEX_FILE": str(self.index),
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }
        if network:  # the user's credential helpers and addresses
            return {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes", **environ}
        return environ | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def count_entries(index: Path) -> int:
    """Return the number of files in an index; 0 if it cannot be read."""
    try:
        with index.open("rb") as file:
            return _ENTRIES.unpack(file.read(_ENTRIES.size))[0]
    except (OSError, struct.error):
        return 0


def _build_timeout_error(folder: Path, arguments: Sequence[str], network: bool) -> MaxAgentError:
    seconds = f"{TIMEOUT:g}"
    if network:
        message = "git {command} had no answer in {seconds} seconds"
        return GitCommandError(text(message, command=arguments[0], seconds=seconds))
    return GitTimeoutError(
        text(
            "git did not look through `{folder}` in {timeout} seconds",
            folder=folder,
            timeout=seconds,
        ),
        hint="check whether a `.gitignore` or `.gitattributes` in it is a pipe, or whether "
        "its disk does not respond",
    )


def get_index_path(directory: Path, patterns: Sequence[str], top: Path) -> Path:
    """Return the index of a store; it differs for other patterns or another top."""
    return directory / f"index-{hash_texts(*patterns, str(top))}"
