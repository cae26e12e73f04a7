"""Fetches that the repository's own configuration decides nothing of but the address.

Git runs with a folder of its own beside the repository's objects: there is no `uploadpack`, helper,
hook or rewritten address in it. The user's configuration applies, with its logins and its `ssh`.
"""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from ...config.git.environment import build_git_environment
from ...config.git.program_settings import needs_helper
from ...config.git.repository import find_git_folders, find_top
from ...config.security.executables import build_search_path
from ...config.text import text
from ..process.launcher import capture_output
from .hardened_git import HardenedRepository
from .user_git import GitError, build_error, find_git_program

# Seconds
TIMEOUT = 3600.0
_FETCH = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
_OVERRIDES = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "fetch.fsckObjects=true",
    "gc.auto=0",
    "maintenance.auto=false",
)
_PROTOCOLS = "file:git:http:https:ssh"
_NAME = "origin"
# `host:path`, for ssh
_REMOTE_PATH = re.compile(r"[^/]+:")


@dataclass(frozen=True)
class HardenedFetch:
    """Fetches from one address into a repository."""

    repository: HardenedRepository
    address: str

    async def read_default_branch(self) -> str:
        """Return the default branch; this asks the remote."""
        async with self._open_folder() as folder:
            output = await self._run(folder, "ls-remote", "--symref", _NAME, "HEAD")
        match = re.search(r"ref: refs/heads/(\S+)", output)
        return match[1] if match else "main"

    async def fetch(self, refs: Sequence[tuple[str, str]]) -> None:
        """Fetch each reference of the remote into one of ours; raises GitError."""
        async with self._open_folder() as folder:
            pairs = [f"+{source}:{target}" for source, target in refs]
            await self._run(folder, "fetch", *_FETCH, _NAME, *pairs)
            for _, target in refs:
                commit = (await self._run(folder, "rev-parse", "--verify", target)).strip()
                await self.repository.run_git("update-ref", target, commit)

    @asynccontextmanager
    async def _open_folder(self) -> AsyncGenerator[Path]:
        """Create git's folder for a fetch, and delete it afterwards."""
        if needs_helper(self.address):
            raise GitError(
                text("`{address}` would start a program", address=self.address),
                hint="set the remote to an address of `https://` or `ssh://`",
            )
        known = await self.repository.run_git("for-each-ref", "--format=%(objectname) %(refname)")
        form = await self.repository.read_text("rev-parse", "--show-object-format")
        folder = await asyncio.to_thread(self._create, known.stdout, form)
        try:
            yield folder
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _create(self, refs: bytes, form: str) -> Path:
        common = self._find_common()
        # within the repository's folder, so that the user's `includeIf "gitdir:…"` apply
        folder = Path(mkdtemp(prefix="mcode-fetch-", dir=common))
        (folder / "refs").mkdir()
        (folder / "objects").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n")
        (folder / "packed-refs").write_bytes(refs)
        if (common / "shallow").is_file():
            shutil.copyfile(common / "shallow", folder / "shallow")
        address = self.address
        if "://" not in address and not _REMOTE_PATH.match(address):  # relative to the checkout
            address = os.path.join(self._find_top(), os.path.expanduser(address))
        quoted = address.replace("\\", "\\\\").replace('"', '\\"')
        name = _NAME
        lines = ["[core]", "\trepositoryformatversion = 1", "\tbare = true"]
        lines += ["[extensions]", f"\tobjectformat = {form}"] if form != "sha1" else []
        lines += [f'[remote "{name}"]', f'\turl = "{quoted}"', ""]
        (folder / "config").write_text("\n".join(lines))
        return folder

    def _find_top(self) -> Path:
        top = find_top(self.repository.root)
        if top is None:  # a bare repository: `open_repository` refuses it
            raise GitError("the folder is not in a git repository")
        return top

    def _find_common(self) -> Path:
        return find_git_folders(self._find_top())[1]

    async def _run(self, folder: Path, *arguments: str) -> str:
        root = self.repository.root
        program = await asyncio.to_thread(find_git_program, root)
        flags = [word for setting in _OVERRIDES for word in ("-c", setting)]
        done = await capture_output(
            [program, "--no-pager", *flags, *arguments],
            cwd=folder,
            timeout=TIMEOUT,
            env={
                **build_git_environment(network=True),
                "PATH": await asyncio.to_thread(build_search_path, root),
                "GIT_DIR": str(folder),
                "GIT_OBJECT_DIRECTORY": str(self._find_common() / "objects"),
                "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
                "GIT_TERMINAL_PROMPT": "0",
            },
        )
        if done.timed_out or done.exit_code:
            raise build_error(arguments, done)
        return done.text
