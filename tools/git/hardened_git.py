"""Run git so that a repository's own configuration can start no program and reach no network.

"Read-only" git commands run hooks, file system monitors, filters and external diffs that the
repository configures for itself. Everything here is switched off by the environment, which git
obeys before any file; filters, which have free names, are looked up first and emptied by name.
"""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...config.security.executables import own_path
from ..process.launcher import Captured, capture
from ..result import ToolRefusal
from ..workspace import Workspace
from .git_dirs import NotPlain, find_home

TIMEOUT = 30.0
"""Seconds for one git command."""

ATTRIBUTES = Path(os.path.realpath(__file__)).with_name("secret.gitattributes")
"""Keeps the content of secrets out of git's output; git says nothing where it is missing."""
_HIDES_SECRETS = {"core.attributesFile": str(ATTRIBUTES)}
_OFF = {
    **_HIDES_SECRETS,
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.quotePath": "false",
    "diff.submodule": "short",
    "log.follow": "false",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
}
_NO_EXTERNAL_DIFF = {"diff.external": ""}
"""Without `--no-ext-diff` git does not compare then, but fails."""
_ENVIRONMENT = {
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_UNGUARDED = "git is refused: what keeps secrets out of its output cannot be read here"
_GUARDING = f'[ -s "$0" ] && [ -r "$0" ] || export GIT_CONFIG_KEY_0="{_UNGUARDED}"; exec "$@"'
# git refuses to start with a key that is none, and quotes it; other programs do not read it
_MOST_LISTED = 200_000_000
"""Bytes of the list of all tracked files."""
_SUBMODULE = re.compile(rb"160000 [0-9a-f]+ [0-3]\t([^\0]+)")
_FILTER = re.compile(r"(filter\..*)\.(clean|smudge|process|required)", re.DOTALL)


@dataclass(frozen=True)
class Repository:
    """The repository that a project is in, ready for guarded commands."""

    root: Path
    """The project's folder, where commands run."""
    prefix: str
    """The project's path in the repository, such as `packages/a/`; empty at its top."""
    environment: Mapping[str, str]

    async def run(self, *arguments: str) -> Captured:
        """Run `git ARGUMENTS` in the project; raises ToolRefusal when it fails."""
        done = await _git(self.root, self.environment, *arguments)
        if done.timed_out:
            raise ToolRefusal(f"git took over {TIMEOUT:g} seconds; ask for less, such as one path")
        if done.exit_code:
            raise ToolRefusal(f"git: {_complaint(done)}")
        return done


async def open_repository(workspace: Workspace) -> Repository:
    """The project's repository.

    Raises ToolRefusal when there is none or no git, or where git might show what is not its own.
    """
    await asyncio.to_thread(_check_guard)
    await asyncio.to_thread(_check_own, workspace.root)
    found = await _git(workspace.root, _environment(_OFF), "rev-parse", "--show-toplevel")
    if found.exit_code == 127:
        raise ToolRefusal("git is not installed here; do without it")
    if found.exit_code:
        raise ToolRefusal(
            f"the project is in no git repository that can be used: {_complaint(found)}"
        )
    top = Path(found.text.rstrip("\n")).resolve()
    if not workspace.root.is_relative_to(top):
        raise ToolRefusal("this repository's files lie outside the project; do without git")
    await asyncio.to_thread(_check_all, await _submodules(workspace.root, top), workspace.root)
    prefix = workspace.root.relative_to(top).as_posix()
    return Repository(
        root=workspace.root,
        prefix="" if prefix == "." else f"{prefix}/",
        environment=_environment(
            {**_OFF, **_NO_EXTERNAL_DIFF, **await _filters_off(workspace.root)}
        ),
    )


def _check_guard() -> None:
    if not os.access(ATTRIBUTES, os.R_OK) or not os.path.getsize(ATTRIBUTES):
        raise ToolRefusal(f"{_UNGUARDED} (`{ATTRIBUTES}`); do without git, or install again")


def _check_own(root: Path) -> None:
    """The repository of the project, or of the first folder above that has one."""
    any(_is_plain_home(top, root) for top in (root, *root.parents))


def _check_all(tops: Sequence[Path], root: Path) -> None:
    for top in tops:
        _is_plain_home(Path(os.path.realpath(top)), root)


def _is_plain_home(top: Path, root: Path) -> bool:
    """False where no repository is; raises ToolRefusal for one that is not to be read."""
    try:
        return find_home(top, root) is not None
    except NotPlain as error:
        raise ToolRefusal(f"{error}; do without git") from error


async def _submodules(root: Path, top: Path) -> list[Path]:
    """Those that the index knows: git reads which commit each is at, whatever it is told."""
    command = ("ls-files", "--stage", "--full-name", "-z", "--", ":/")
    listed = await _git(root, _environment(_OFF), *command, limit=_MOST_LISTED)
    if listed.cut:
        raise ToolRefusal("git tracks too many files to look at; do without git")
    return [top / os.fsdecode(name) for name in _SUBMODULE.findall(listed.stdout)]


async def _filters_off(root: Path) -> dict[str, str]:
    """Empty values for each filter that the repository itself, not the user, configures."""
    command = ("config", "--list", "--includes", "--show-scope", "--name-only", "-z")
    listed = await _git(root, _environment(_OFF), *command)
    fields = listed.text.split("\0")
    off: dict[str, str] = {}
    for scope, name in zip(fields[::2], fields[1::2], strict=False):
        if scope in ("local", "worktree") and (match := _FILTER.fullmatch(name)):
            off |= {f"{match[1]}.{key}": "" for key in ("clean", "smudge", "process")}
            off[f"{match[1]}.required"] = "false"
    return off


def _environment(configuration: Mapping[str, str]) -> dict[str, str]:
    return {**_ENVIRONMENT, **_config_entries(configuration)}


def _config_entries(configuration: Mapping[str, str]) -> dict[str, str]:
    entries = {"GIT_CONFIG_COUNT": str(len(configuration))}
    for number, (key, value) in enumerate(configuration.items()):
        entries[f"GIT_CONFIG_KEY_{number}"] = key
        entries[f"GIT_CONFIG_VALUE_{number}"] = value
    return entries


GUARD: Mapping[str, str] = _environment(_OFF)
"""What a git command gets that runs unasked: `shell/git_reads.py` has seen that the repository
configures nothing beyond what is switched off here. The command runs as `guard_command` says."""


def guard_command(argv: Sequence[str]) -> list[str]:
    """The command line that runs `argv` and in which git is refused where the guard is not whole.

    Looked at where the command runs: a sandbox may cover the file, or take the right to read it.
    """
    return ["/bin/sh", "-c", _GUARDING, str(ATTRIBUTES), *argv]


async def hide_secrets(root: Path) -> Mapping[str, str]:
    """Build what keeps secrets out of git's output in a command that may do more than read.

    Empty where the user has attributes of their own, which git would not read besides ours.
    """
    if await asyncio.to_thread(_may_have_own_attributes):
        asked = await _git(root, {}, "config", "--global", "--includes", "core.attributesFile")
        if asked.exit_code == 0 or await asyncio.to_thread((_user_folder() / "attributes").exists):
            return {}
    return _config_entries(_HIDES_SECRETS)


def _may_have_own_attributes() -> bool:
    """A quick look, so that most commands need no second process."""
    if (_user_folder() / "attributes").exists():
        return True
    files = (Path.home() / ".gitconfig", _user_folder() / "config")
    texts = [file.read_bytes().lower() for file in files if file.is_file()]
    return any(b"attributesfile" in text or b"include" in text for text in texts)


def _user_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "git")


async def _git(
    root: Path, environment: Mapping[str, str], *arguments: str, limit: int = 1_000_000
) -> Captured:
    command = ["git", "--no-pager", *arguments]
    env = {**environment, "PATH": await asyncio.to_thread(own_path, root)}
    return await capture(command, cwd=root, timeout=TIMEOUT, limit=limit, env=env)


def _complaint(done: Captured) -> str:
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"exit code {done.exit_code}"
