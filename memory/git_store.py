"""Git's object store for one folder, apart from the user's repository, and how git is run on it.

The user's repository, index, hooks, signing, filters and configuration are never touched nor used:
the store has a directory and a configuration of its own, and `GIT_*` variables are taken away.
"""

import asyncio
import hashlib
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..config.errors import MaxAgentError

_CONFIG = """[core]
\trepositoryformatversion = 0
\tbare = false
\tfilemode = true
\tsymlinks = true
\tautocrlf = false
\tfsmonitor = false
\thooksPath = /dev/null
\tquotePath = false
[gc]
\tauto = 0
"""
_ATTRIBUTES = "* -text -ident -filter -working-tree-encoding !diff !eol !merge\n"
"""Above every `.gitattributes` of the project: bytes go in and out as they are."""


class GitFailed(MaxAgentError):
    """Git ended with an error; the message is git's own."""


def git_program() -> str | None:
    """Git's absolute path; a relative entry of PATH could name a program of the project's."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which("git", path=os.pathsep.join(filter(os.path.isabs, entries)))


@dataclass(frozen=True)
class GitStore:
    """The store in `directory` whose work tree is `folder`."""

    folder: Path
    directory: Path
    index: Path
    program: str | None
    """Git's path; None when git is not there."""

    def create(self) -> None:
        """Make the store unless it is there: by hand, so that no template and no hook gets in."""
        if (self.directory / "HEAD").exists():
            return
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in ("objects", "refs", "info"):
            (self.directory / part).mkdir(mode=0o700, exist_ok=True)
        (self.directory / "config").write_text(_CONFIG)
        (self.directory / "info" / "attributes").write_text(_ATTRIBUTES)
        (self.directory / "description").write_text(f"MaxAgent's snapshots of {self.folder}\n")
        (self.directory / "HEAD").write_text("ref: refs/heads/none\n")

    def unlock_index(self) -> None:
        """Take away the lock that a killed git has left; only while no git is running."""
        Path(f"{self.index}.lock").unlink(missing_ok=True)

    def forget_index(self) -> None:
        """Begin the index anew: every file is read again, and nothing else is lost."""
        self.index.unlink(missing_ok=True)

    def index_state(self) -> object:
        """Something that differs whenever the index was written; None when there is none."""
        try:
            found = self.index.stat()
        except FileNotFoundError:
            return None
        return (found.st_ino, found.st_mtime_ns, found.st_size)

    async def git(self, *arguments: str, given: bytes = b"", keep: Sequence[int] = ()) -> bytes:
        """Run git in the folder and return what it printed; raises GitFailed.

        `given` is its standard input, `keep` descriptors that stay open until git is gone.
        """
        if self.program is None:
            raise GitFailed("git is not installed", hint="install git to keep snapshots")
        try:
            process = await asyncio.create_subprocess_exec(
                self.program,
                *arguments,
                cwd=self.folder,
                env=self._environment(),
                stdin=PIPE if given else DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                pass_fds=keep,
            )
        except OSError as error:
            raise GitFailed(f"cannot run git in `{self.folder}`: {error.strerror}") from error
        try:
            printed, complaint = await process.communicate(given or None)
        except BaseException:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            raise
        if process.returncode:
            words = complaint.decode("utf-8", "replace").strip() or f"exit {process.returncode}"
            raise GitFailed(f"git {arguments[0]} failed: {words}")
        return printed

    def _environment(self) -> dict[str, str]:
        kept = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
        return kept | {
            "GIT_DIR": str(self.directory),
            "GIT_WORK_TREE": str(self.folder),
            "GIT_INDEX_FILE": str(self.index),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }


def store_of(folder: Path, stores: Path, patterns: Sequence[str]) -> GitStore:
    """The store of a folder: found again by its path; another index for other ignore patterns."""
    directory = stores / _digest(str(folder))
    return GitStore(folder, directory, directory / f"index-{_digest(*patterns)}", git_program())


def _digest(*texts: str) -> str:
    return hashlib.sha256(b"\0".join(map(os.fsencode, texts))).hexdigest()[:16]
