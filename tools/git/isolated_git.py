"""Git for all that is published: the repository's objects, the user's own configuration.

It works in a git folder of our own. So nothing in `.git` names a program, an address or a
credential here, and no replacement, graft, shallow end or index of it hides an object: of the
repository's settings only data is taken over, such as `user.email`. Hooks are run by `hooks.py`.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ...config.errors import UsageError
from ...config.security.executables import build_search_path
from ...config.text import text
from .git_settings import (
    GitSetting,
    disable_programs,
    find_filters,
    list_settings,
    render_settings,
    select_data,
)
from .lfs import locate_lfs_storage
from .user_git import UserGit

# What hides objects from a search, or programs in a remote's answer
_FIXED = (
    GitSetting("local", "core.bare", "false"),
    GitSetting("local", "core.commitgraph", "false"),
    GitSetting("local", "core.splitindex", "false"),
    GitSetting("local", "core.multipackindex", "false"),
    GitSetting("local", "pack.usebitmaps", "false"),
    GitSetting("local", "gc.auto", "0"),
    GitSetting("local", "maintenance.auto", "false"),
    # a file that git LFS has not downloaded stays a pointer
    GitSetting("local", "lfs.skipdownloaderrors", "true"),
)
# Files of the repository that are data
_COPIED = ("info/attributes", "info/exclude")
_MAX_COPIED = 1_000_000


@dataclass(frozen=True)
class IsolatedGit:
    """A repository as it is published; valid while its context is open."""

    repository: UserGit
    """The user's repository: for its branches, working trees and index, without its programs."""
    git: UserGit
    """Its objects with the user's configuration; new objects are the repository's."""
    searching: UserGit
    """The same, but new objects are not stored in the repository."""
    folder: Path
    """The git folder of our own."""
    settings: tuple[GitSetting, ...]
    """The repository's effective settings."""
    lfs_storage: str
    """Where git LFS keeps the repository's files."""

    def open_checkout(self, folder: Path, variables: Mapping[str, str]) -> UserGit:
        """Return git for another working tree of the repository."""
        return replace(self.repository, folder=folder).add_variables(**variables)

    async def write_files(self, tree: str, checkout: UserGit) -> None:
        """Write the files of a tree, or of a commit, into a checkout, and its index."""
        index = {"GIT_INDEX_FILE": checkout.variables["GIT_INDEX_FILE"]}
        git = replace(self.git, folder=checkout.folder)
        place = {"GIT_WORK_TREE": str(checkout.folder)}
        await git.read("read-tree", "--reset", "-u", tree, env={**index, **place})

    def add_settings(self, settings: Iterable[GitSetting]) -> None:
        """Add settings; they count before all others but the command line's."""
        with open(self.folder / "config", "a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(render_settings(settings))

    async def check_filters(self, paths: Sequence[str]) -> None:
        """Raise UsageError if a file needs a filter that only the repository defines."""
        missing = find_filters(self.settings, of_user=False)
        missing -= find_filters(self.settings, of_user=True)
        if not missing or not paths:
            return
        names = b"".join(os.fsencode(path) + b"\0" for path in paths)
        output = await self.git.read("check-attr", "-z", "--stdin", "filter", input=names)
        fields = os.fsdecode(output).split("\0")
        for path, name in zip(fields[::3], fields[2::3], strict=False):
            if name in missing:
                raise UsageError(
                    text(
                        "`{path}` needs the filter `{filter}`, which only this repository's "
                        "configuration defines",
                        path=path,
                        filter=name,
                    ),
                    hint=text(
                        "define it in your own configuration (`git config --global`, "
                        "`git lfs install`), or commit with git",
                    ),
                )


@asynccontextmanager
async def open_isolated_git(repository: UserGit) -> AsyncGenerator[IsolatedGit]:
    """Open git for publishing; `repository` is in the top folder of the working tree."""
    settings = tuple(await list_settings(repository))
    arguments = ("rev-parse", "--path-format=absolute", "--show-object-format", "--git-common-dir")
    paths = [word for name in ("objects", *_COPIED) for word in ("--git-path", name)]
    kind, common, objects, *copied = (await repository.read_text(*arguments, *paths)).split("\n")
    with TemporaryDirectory(prefix="mcode-") as place:
        folder = Path(place, "git")
        await asyncio.to_thread(
            _create_folder, folder, objects, dict(zip(_COPIED, copied, strict=True))
        )
        path = {"PATH": await asyncio.to_thread(build_search_path, repository.folder)}
        own = UserGit(
            repository.folder,
            {**path, "GIT_DIR": str(folder), "GIT_WORK_TREE": str(repository.folder)},
        )
        format = [GitSetting("local", "core.repositoryformatversion", "0")]
        if kind != "sha1":
            format = [
                GitSetting("local", "core.repositoryformatversion", "1"),
                GitSetting("local", "extensions.objectformat", kind),
            ]
        lfs_storage = locate_lfs_storage(settings, common)
        fixed = [*format, *_FIXED, GitSetting("local", "lfs.storage", lfs_storage)]
        config = folder / "config"
        config.write_text(render_settings(fixed), "utf-8", "surrogateescape")
        conditional = _find_missing(settings, await list_settings(own))
        data = [*conditional, *select_data(settings), *fixed]
        config.write_text(render_settings(data), "utf-8", "surrogateescape")
        yield IsolatedGit(
            UserGit(repository.folder, {**path, **disable_programs(settings)}),
            own.add_variables(GIT_OBJECT_DIRECTORY=objects),
            own,
            folder,
            settings,
            lfs_storage,
        )


def _create_folder(folder: Path, objects: str, copied: dict[str, str]) -> None:
    for name in ("objects/info", "refs", "info"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/mcode\n")
    borrowed = objects.replace("\\", "\\\\").replace('"', '\\"')
    (folder / "objects/info/alternates").write_bytes(os.fsencode(f'"{borrowed}"\n'))
    for name, source in copied.items():
        if os.path.isfile(source):
            with open(source, "rb") as file:
                (folder / name).write_bytes(file.read(_MAX_COPIED))


def _find_missing(wanted: Sequence[GitSetting], known: Sequence[GitSetting]) -> list[GitSetting]:
    """Return the user's settings that hold only in his repository's folder (`includeIf`)."""
    left = Counter((one.scope, one.key, one.value) for one in known)
    missing = list[GitSetting]()
    for setting in (one for one in wanted if one.is_of_user):
        name = (setting.scope, setting.key, setting.value)
        if left[name] > 0:
            left[name] -= 1
        else:
            missing.append(setting)
    return missing
