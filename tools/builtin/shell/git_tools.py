"""The tools `git_status`, `git_diff`, `git_log` and `git_branch`, which only read."""

import asyncio

from ...definition import tool
from ...git.hardened_git import HardenedRepository, open_repository
from ...process.launcher import CapturedOutput
from ...process.truncation import make_excerpt
from ...result import CallResult, ToolError
from ...tool_run import Run
from ...workspace import Workspace

# bytes of a long answer that are kept of each end
KEPT_EACH_SIDE = 15_000
MAX_COMMITS = 200
MAX_EXCLUDED = 1_000

_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv", "--no-color")
# a new file is a change, whatever `status.showUntrackedFiles` says
_UNTRACKED = "--untracked-files=normal"
_SUBMODULES = "--ignore-submodules=dirty"


@tool("read")
async def git_status(*, run: Run) -> CallResult:
    """Show the branch and what is changed, staged or untracked."""
    repository = await open_repository(run.workspace)
    done = await repository.run_git(
        "status", "--porcelain", "--branch", "-z", _UNTRACKED, _SUBMODULES, "--", "."
    )
    branch, *entries = _parse_status(done.text)
    names = len(repository.prefix)
    lines = [
        f"{state} {' <- '.join(path[names:] for path in paths)}"
        for state, *paths in entries
        if not any(run.workspace.is_ignored(path[names:]) for path in paths)
    ]
    return CallResult("\n".join([" ".join(branch), *(lines or ["nothing changed"])]))


@tool("read", paths=("path",))
async def git_diff(path: str = "", staged: bool = False, *, run: Run) -> CallResult:
    """Show changes against the index, or those staged; ignored files' content stays out."""
    repository = await open_repository(run.workspace)
    which = ["diff", *_NO_PROGRAMS, "--relative", "--submodule=short", _SUBMODULES]
    which += ["--staged"] if staged else []
    pathspec = await asyncio.to_thread(_build_pathspec, run.workspace, path)
    names = await repository.run_git(*which, "--name-only", "--no-renames", "-z", "--", pathspec)
    secret = [name for name in names.text.split("\0") if name and run.workspace.is_ignored(name)]
    if len(secret) > MAX_EXCLUDED:
        raise ToolError("too many ignored files have changed; name one `path`")
    excluded = [f":(exclude,literal){name}" for name in secret]
    done = await repository.run_git(*which, "--", pathspec, *excluded)
    return _build_result(done, "no changes; see git_status for untracked files")


@tool("read", paths=("path",))
async def git_log(max_count: int = 20, path: str = "", *, run: Run) -> CallResult:
    """List commits, newest first."""
    if not 1 <= max_count <= MAX_COMMITS:
        raise ToolError(f"`max_count` must be from 1 to {MAX_COMMITS}")
    repository = await open_repository(run.workspace)
    if await _is_empty(repository):
        return CallResult("no commits yet")
    limits = ["--"]
    if path or repository.prefix:
        limits.append(await asyncio.to_thread(_build_pathspec, run.workspace, path))
    format_options = [
        "--date=short",
        "--format=%h %ad %an: %s",
        "--no-show-signature",
        "--no-color",
    ]
    done = await repository.run_git("log", f"--max-count={max_count}", *format_options, *limits)
    return _build_result(done, "no commits touch this path")


@tool("read")
async def git_branch(*, run: Run) -> CallResult:
    """List the branches, the current one marked."""
    repository = await open_repository(run.workspace)
    if await _is_empty(repository):
        name = (await repository.run_git("symbolic-ref", "--short", "HEAD")).text.strip()
        return CallResult(f"* {name} (no commits yet)")
    format_option = "--format=%(HEAD) %(refname:short) %(objectname:short) %(subject)"
    return _build_result(
        await repository.run_git("branch", "--list", "--no-color", format_option), "no branches"
    )


def _parse_status(status: str) -> list[list[str]]:
    """Return `[state, path]` or `[state, path, old path]` of each entry; the first is the
    branch."""
    fields = iter(status.split("\0"))
    entries = list[list[str]]()
    for field in fields:
        if field:
            entry = [field[:2], field[3:]]
            entries.append([*entry, next(fields)] if set(field[:2]) & {"R", "C"} else entry)
    return entries


def _build_pathspec(workspace: Workspace, path: str) -> str:
    return f":(literal){workspace.to_relative(workspace.resolve(path))}" if path else "."


async def _is_empty(repository: HardenedRepository) -> bool:
    try:
        await repository.run_git("rev-parse", "--verify", "--quiet", "HEAD")
    except ToolError:
        return True
    return False


def _build_result(done: CapturedOutput, nothing: str) -> CallResult:
    remark = "ask for less, such as one path" + (" (git said even more)" if done.cut else "")
    return CallResult(make_excerpt(done.stdout, remark, keep=KEPT_EACH_SIDE) or nothing)
