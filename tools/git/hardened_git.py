"""Git commands that the repository's own configuration cannot make run programs or use the network.

"Read-only" git commands run hooks, file system monitors, filters and external diffs that the
repository configures. All of these are switched off by environment variables, which override every
file; filters, which have arbitrary names, are looked up first and emptied by name.
"""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...config.security.executables import build_search_path
from ..process.launcher import CapturedOutput, capture_output
from ..result import ToolError
from ..workspace import Workspace
from .git_dirs import UnsupportedGitDirError, find_git_dirs

# Seconds for one git command
TIMEOUT = 30.0

# Hides the content of secrets in git's output; git reports no error if it is missing
ATTRIBUTES = Path(os.path.realpath(__file__)).with_name("secret.gitattributes")
_HIDES_SECRETS = {"core.attributesFile": str(ATTRIBUTES)}
_CONFIG_OVERRIDES = {
    **_HIDES_SECRETS,
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.quotePath": "false",
    "diff.submodule": "short",
    "log.follow": "false",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",
    # git's own guard against another user's configuration, which is switched off here; root in a
    # container works in such folders
    "safe.directory": "*",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
}
# Without `--no-ext-diff` git then fails instead of comparing
_NO_EXTERNAL_DIFF = {"diff.external": ""}
_ENVIRONMENT = {
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_UNGUARDED = "git is denied: the filter that keeps secrets out of its output cannot be read"
# git does not start with an invalid key, and quotes it; other programs do not read it
_GUARDING = f'[ -s "$0" ] && [ -r "$0" ] || export GIT_CONFIG_KEY_0="{_UNGUARDED}"; exec "$@"'
# Most bytes of the list of all tracked files
_MAX_LISTED = 200_000_000
# Paths on a command line, each of at most 4 kB
_PATHS_AT_ONCE = 100
_SUBMODULE = re.compile(rb"160000 [0-9a-f]+ [0-3]\t([^\0]+)")
_FILTER = re.compile(r"(filter\..*)\.(clean|smudge|process|required)", re.DOTALL)


@dataclass(frozen=True)
class HardenedRepository:
    """The repository of a project, ready for guarded commands."""

    root: Path
    """The project's folder, where commands run."""
    prefix: str
    """The project's path in the repository, such as `packages/a/`; empty at its top."""
    environment: Mapping[str, str]

    async def read_text(self, *arguments: str, allowed_codes: Sequence[int] = (0,)) -> str:
        """Run git and return what it prints, without blanks around it; raises ToolError."""
        return (await self.run_git(*arguments, allowed_codes=allowed_codes)).text.strip()

    async def run_git(self, *arguments: str, allowed_codes: Sequence[int] = (0,)) -> CapturedOutput:
        """Run `git ARGUMENTS` in the project; raises ToolError when it fails."""
        done = await _run_git(self.root, self.environment, *arguments)
        if done.timed_out:
            raise ToolError(
                f"git took more than {TIMEOUT:g} seconds; ask for less, such as one path"
            )
        if done.exit_code not in allowed_codes:
            raise ToolError(f"git: {_format_error(done)}")
        return done


async def open_repository(workspace: Workspace) -> HardenedRepository:
    """Open the project's repository.

    Raises ToolError if there is no repository or no git, or if git might show foreign content.
    """
    await asyncio.to_thread(_check_guard)
    await asyncio.to_thread(_check_own, workspace.root)
    result = await _run_git(
        workspace.root, _build_environment(_CONFIG_OVERRIDES), "rev-parse", "--show-toplevel"
    )
    if result.exit_code == 127:
        raise ToolError("git is not installed; continue without it")
    if result.exit_code:
        raise ToolError(f"the project is not in a usable git repository: {_format_error(result)}")
    top = Path(result.text.rstrip("\n")).resolve()
    if not workspace.root.is_relative_to(top):
        raise ToolError("this repository's files are outside the project; continue without git")
    await asyncio.to_thread(_check_all, await _find_submodules(workspace.root, top), workspace.root)
    prefix = workspace.root.relative_to(top).as_posix()
    return HardenedRepository(
        root=workspace.root,
        prefix="" if prefix == "." else f"{prefix}/",
        environment=_build_environment(
            {
                **_CONFIG_OVERRIDES,
                **_NO_EXTERNAL_DIFF,
                **await _build_filter_overrides(workspace.root),
            }
        ),
    )


async def read_committed_blobs(workspace: Workspace, paths: Sequence[str]) -> dict[str, str]:
    """Return the ID of the content that each file has in the last commit; absent ones are left out.

    Raises ToolError where there is no repository or no commit.
    """
    repository = await open_repository(workspace)
    blobs = dict[str, str]()
    for at in range(0, len(paths), _PATHS_AT_ONCE):
        portion = paths[at : at + _PATHS_AT_ONCE]
        command = ("--literal-pathspecs", "ls-tree", "-z", "HEAD", "--", *portion)
        listing = await repository.run_git(*command)
        for entry in filter(None, listing.text.split("\0")):
            described, path = entry.split("\t", 1)
            blobs[path] = described.split()[2]
    return blobs


def _check_guard() -> None:
    if not os.access(ATTRIBUTES, os.R_OK) or not os.path.getsize(ATTRIBUTES):
        raise ToolError(
            f"{_UNGUARDED} (`{ATTRIBUTES}`); continue without git, or reinstall MaxAgent"
        )


def _check_own(root: Path) -> None:
    """Check the repository of the project, or of the first folder above that has one."""
    any(_has_plain_git_dir(top, root) for top in (root, *root.parents))


def _check_all(tops: Sequence[Path], root: Path) -> None:
    for top in tops:
        _has_plain_git_dir(Path(os.path.realpath(top)), root)


def _has_plain_git_dir(top: Path, root: Path) -> bool:
    """Return False if there is no repository; raise ToolError for one that must not be read."""
    try:
        return find_git_dirs(top, root) is not None
    except UnsupportedGitDirError as error:
        raise ToolError(f"{error}; continue without git") from error


async def _find_submodules(root: Path, top: Path) -> list[Path]:
    """Return the submodules in the index: git always reads the current commit of each."""
    command = ("ls-files", "--stage", "--full-name", "-z", "--", ":/")
    listing = await _run_git(
        root, _build_environment(_CONFIG_OVERRIDES), *command, limit=_MAX_LISTED
    )
    if listing.cut:
        raise ToolError("git tracks too many files to check; continue without git")
    return [top / os.fsdecode(name) for name in _SUBMODULE.findall(listing.stdout)]


async def _build_filter_overrides(root: Path) -> dict[str, str]:
    """Return empty values for each filter that the repository, not the user, configures."""
    command = ("config", "--list", "--includes", "--show-scope", "--name-only", "-z")
    listing = await _run_git(root, _build_environment(_CONFIG_OVERRIDES), *command)
    fields = listing.text.split("\0")
    off: dict[str, str] = {}
    for scope, name in zip(fields[::2], fields[1::2], strict=False):
        if scope in ("local", "worktree") and (match := _FILTER.fullmatch(name)):
            off |= {f"{match[1]}.{key}": "" for key in ("clean", "smudge", "process")}
            off[f"{match[1]}.required"] = "false"
    return off


def _build_environment(configuration: Mapping[str, str]) -> dict[str, str]:
    return {**_ENVIRONMENT, **_build_config_entries(configuration)}


def _build_config_entries(configuration: Mapping[str, str]) -> dict[str, str]:
    entries = {"GIT_CONFIG_COUNT": str(len(configuration))}
    for number, (key, value) in enumerate(configuration.items()):
        entries[f"GIT_CONFIG_KEY_{number}"] = key
        entries[f"GIT_CONFIG_VALUE_{number}"] = value
    return entries


# Environment of a git command that runs unasked: `shell/readonly/git_classifier.py` has checked
# that the repository configures nothing beyond what is switched off here. The command runs as
# `guard_command` returns it.
GUARD: Mapping[str, str] = _build_environment(_CONFIG_OVERRIDES)


def guard_command(argv: Sequence[str]) -> list[str]:
    """Return a command line that runs `argv` and blocks git if the guard is incomplete.

    The check runs with the command: a sandbox may hide the file, or make it unreadable.
    """
    return ["/bin/sh", "-c", _GUARDING, str(ATTRIBUTES), *argv]


async def hide_secrets(root: Path) -> Mapping[str, str]:
    """Build variables that hide secrets in git's output, for a command that may do more than read.

    Empty if the user has attributes of their own: git would not read them besides ours.
    """
    if await asyncio.to_thread(_may_have_own_attributes):
        asked = await _run_git(root, {}, "config", "--global", "--includes", "core.attributesFile")
        if asked.exit_code == 0 or await asyncio.to_thread(
            (_get_user_folder() / "attributes").exists
        ):
            return {}
    return _build_config_entries(_HIDES_SECRETS)


def _may_have_own_attributes() -> bool:
    """Check quickly, so that most commands need no second process."""
    if (_get_user_folder() / "attributes").exists():
        return True
    files = (Path.home() / ".gitconfig", _get_user_folder() / "config")
    try:
        texts = [file.read_bytes().lower() for file in files if file.is_file()]
    except OSError:  # git knows what to do with a file that it cannot read
        return True
    return any(b"attributesfile" in text or b"include" in text for text in texts)


def _get_user_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "git")


async def _run_git(
    root: Path, environment: Mapping[str, str], *arguments: str, limit: int = 1_000_000
) -> CapturedOutput:
    command = ["git", "--no-pager", *arguments]
    env = {**environment, "PATH": await asyncio.to_thread(build_search_path, root)}
    return await capture_output(command, cwd=root, timeout=TIMEOUT, limit=limit, env=env)


def _format_error(done: CapturedOutput) -> str:
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"exit code {done.exit_code}"
