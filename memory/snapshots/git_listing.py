"""Lists the files that a snapshot must store: of the whole folder, or of the paths that changed."""

import asyncio
import os
from collections.abc import Collection, Set
from dataclasses import dataclass

from .exclusions import Exclusions
from .git_ls_files import find_nested_repositories
from .git_permissions import RunGit
from .git_repository import GitStore

# Paths on a command line, each of at most 4 kB
PORTION = 200
_PLACEHOLDER = b".mcode-placeholder"
_NO_BLOB = b"0" * 39 + b"1"


@dataclass(frozen=True)
class GitListing:
    """The output of `git ls-files -t -z`: new, changed and deleted files, each with a letter."""

    store: GitStore
    out: Exclusions

    def build_exclude_options(self) -> list[str]:
        """Return the patterns that no snapshot holds, as options."""
        return [f"--exclude={pattern}" for pattern in self.out.to_git_patterns(self.store.prefix)]

    async def list_all(self, git: RunGit) -> bytes:
        """List the whole folder, including files in nested repositories.

        Git enters a nested repository only once its index has a path below it.
        """
        rules = ("--exclude-standard", *self.build_exclude_options())
        asked = ("ls-files", "-z", "-t", "-o", "-m", "-d", *rules)
        listing = await git(*asked)
        opened = set[bytes]()
        while closed := await self._find_nested_repositories(listing) - opened:
            below = [os.fsencode(self.store.prefix) + path + _PLACEHOLDER for path in closed]
            stdin = join_paths([b"100644 " + _NO_BLOB + b"\t" + path for path in below])
            await git("update-index", "-z", "--replace", "--index-info", stdin=stdin)
            opened |= closed
            listing = await git(*asked)  # this lists the placeholders as deleted
        return listing

    async def list_some(self, git: RunGit, paths: Set[bytes], indexed: Set[bytes]) -> bytes | None:
        """List these files only; None if so many of them are not in the index that all are faster.

        A file of the index counts as changed.
        """
        listing = join_paths([b"C " + path for path in paths & indexed])
        others = await asyncio.to_thread(self._find_existing, paths - indexed)
        if len(others) > PORTION:
            return None
        if others:
            pathspecs = [f":(literal){os.fsdecode(path)}" for path in others]
            rules = ("--exclude-standard", *self.build_exclude_options())
            listing += await git("ls-files", "-z", "-t", "-o", *rules, "--", *pathspecs)
        return listing

    def _find_existing(self, paths: Collection[bytes]) -> list[bytes]:
        root = os.fsencode(self.store.folder)
        return sorted(path for path in paths if os.path.lexists(os.path.join(root, path)))

    async def _find_nested_repositories(self, listing: bytes) -> set[bytes]:
        return await asyncio.to_thread(find_nested_repositories, self.store.folder, listing)


def join_paths(paths: Collection[bytes]) -> bytes:
    """Return the paths as git reads and writes them with `-z`, in their order by name."""
    return b"".join(path + b"\0" for path in sorted(paths))
