"""Git's hooks around a commit and a push: found, named in the question, and run as git runs them.

A consent covers them by content: the hook, what lies beside it, and the files that it names.
"""

import asyncio
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ...config.errors import UsageError
from ...config.security.content_digest import UnreadableFileError, read_regular_file
from ...config.security.provenance import (
    Provenance,
    compute_provenance_digest,
    find_provenance_changes,
)
from ...config.text import join_texts, text
from .git_settings import GitSetting, find_value
from .user_git import ACTING, GitError, UserGit, build_program_error, run_program

# The hooks that run, in git's order
COMMIT_NAMES = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
NAMES = (*COMMIT_NAMES, "pre-push")
# Most bytes of one file that a hook is or names; most files beside it, and named by it
MAX_BYTES, MAX_FILES = 4_000_000, 200
_WORD = re.compile(rb"[\w.@+-]*(?:/[\w.@+-]+)*")
_HUSKY = "_"


class HooksChangedError(UsageError):
    """The hooks are not those that the user agreed to."""

    def __init__(self, hooks: "GitHooks", message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.hooks = hooks


@dataclass(frozen=True)
class GitHooks:
    """The hooks of a repository that would run."""

    top: Path
    folder: Path
    names: tuple[str, ...] = ()
    provenances: tuple[Provenance, ...] = ()
    chosen_folder: str = ""
    """The folder as the repository's own `core.hooksPath` names it; empty: it names none."""

    @property
    def used_setting(self) -> str:
        """The repository's own `core.hooksPath`, if there are hooks in it."""
        return self.chosen_folder if self.names else ""

    async def check(self, consented: Sequence[Provenance]) -> None:
        """Raise HooksChangedError if a hook is not as it was when the user agreed."""
        current = await asyncio.to_thread(_find_provenances, self.top, self.folder, self.names)
        if changes := find_provenance_changes(consented, current):
            raise HooksChangedError(
                replace(self, provenances=tuple(current)),
                text("a git hook changed: {changes}", changes=join_texts("; ", changes)),
                hint="nothing was run; look at it, then try again",
            )

    async def run(
        self,
        name: str,
        checkout: UserGit,
        arguments: Sequence[str] = (),
        *,
        env: Mapping[str, str],
        input: bytes = b"",
    ) -> None:
        """Run one hook in a checkout, if there is such a one; raises GitError if it fails."""
        if name not in self.names:
            return
        of_checkout = {
            key: value for key, value in checkout.variables.items() if key.startswith("GIT_")
        }
        done = await run_program(
            [str(self.folder / name), *arguments],
            checkout.folder,
            ACTING,
            env={"GIT_EDITOR": ":", "GIT_PREFIX": "", **of_checkout, **env},
            input=input,
        )
        if done.timed_out or done.exit_code:
            raise build_program_error(name, done)

    async def run_after_commit(self, checkout: UserGit) -> None:
        """Run `post-commit`, whose failure changes nothing."""
        with suppress(GitError):
            await self.run("post-commit", checkout, env={})

    async def run_before_push(
        self, checkout: UserGit, remote: str, url: str, references: Sequence[str]
    ) -> None:
        """Run `pre-push`; raises GitError if it refuses.

        `references`: the local one, its commit, the remote's one and its commit.
        """
        line = f"{' '.join(references)}\n"
        await self.run("pre-push", checkout, (remote, url), env={}, input=line.encode())


async def find_hooks(
    repository: UserGit, settings: Iterable[GitSetting], wanted: Sequence[str] = NAMES
) -> GitHooks:
    """Find the hooks of the repository in whose top folder `repository` is."""
    chosen = find_value(settings, "core.hookspath")
    if chosen:
        folder = repository.folder / os.path.expanduser(chosen.value)
    else:
        common = await repository.read_text(
            "rev-parse", "--path-format=absolute", "--git-common-dir"
        )
        folder = Path(common, "hooks")
    names = [name for name in wanted if await asyncio.to_thread(_is_program, folder / name)]
    return GitHooks(
        repository.folder,
        folder,
        tuple(names),
        tuple(await asyncio.to_thread(_find_provenances, repository.folder, folder, names)),
        "" if chosen is None or chosen.is_of_user else chosen.value,
    )


def _is_program(file: Path) -> bool:
    return file.is_file() and os.access(file, os.X_OK)


def _find_provenances(top: Path, folder: Path, names: Iterable[str]) -> list[Provenance]:
    try:
        beside = _list_beside(folder)
    except (UnreadableFileError, OSError):
        beside = None
    return [
        Provenance(
            f"git hook {name}",
            os.path.relpath(folder / name, top)
            if (folder / name).is_relative_to(top)
            else str(folder / name),
            _compute_digest(top, folder, name, beside) if beside is not None else "",
        )
        for name in names
    ]


def _list_beside(folder: Path) -> list[str]:
    """Return the names of the files in a hook folder that hooks may run, but not the hooks.

    Raises UnreadableFileError for more than a digest covers.
    """
    if not folder.is_dir():
        return []
    names = list[str]()
    with os.scandir(folder) as entries:
        for entry in entries:
            is_other_hook = entry.name in NAMES or entry.name.endswith(".sample")
            if entry.is_file() and not is_other_hook:
                names.append(entry.name)
            if len(names) > MAX_FILES:
                raise UnreadableFileError("too large")
    return sorted(names)


def _compute_digest(top: Path, folder: Path, name: str, beside: Sequence[str]) -> str:
    """Return the digest of all that decides what the hook does, as far as it is files by name.

    It is empty if that cannot be read or is too much: then no consent covers the hook.
    """
    try:
        content = _read_file(folder / name)
        parts: list[str | bytes] = [content]
        files = [folder / other for other in beside]
        if folder.name == _HUSKY:  # husky's runs the file of that name in the folder above
            files.append(folder.parent / name)
        for file in (*files, *_list_named(top, content)):
            if file.is_file():
                parts += [str(file), _read_file(file)]
        return compute_provenance_digest(*parts)
    except UnreadableFileError:
        return ""


def _list_named(top: Path, content: bytes) -> list[Path]:
    """Return the files of the project that a script names; raises UnreadableFileError."""
    words = dict.fromkeys(word for word in _WORD.findall(content) if b"/" in word or b"." in word)
    files = list[Path]()
    for word in words:
        name = os.fsdecode(word.lstrip(b"/"))
        if name and os.path.isfile(top / name):  # a word may be too long for a name
            files.append(top / name)
        if len(files) > MAX_FILES:
            raise UnreadableFileError("too large")
    return files


def _read_file(file: Path) -> bytes:
    content = read_regular_file(os.path.realpath(file), MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UnreadableFileError("too large")
    return content
