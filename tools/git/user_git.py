"""Git as the user runs it, but without the programs that a repository's configuration names.

`read` works on a repository of the user's; `isolated_git.py` makes the same of one of our own, for
all that is published.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ...config.errors import MaxAgentError
from ...config.git.environment import OF_REPOSITORY, read_git_failure
from ...config.security.executables import build_search_path, find_program
from ...config.security.redaction import redact
from ...config.text import text
from ..process.launcher import CapturedOutput, capture_output

# Seconds: reading; a commit or a push, whose hooks may run tests
READING, ACTING = 120.0, 3600.0
# Most bytes of an answer, such as the list of all files
MAX_OUTPUT = 200_000_000
# Lines of git's errors that are shown, from the end
MAX_LINES = 20
_FULL_DISK = "free some space"
# Settings of every command: no program of the repository runs
SWITCHES = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "diff.ignoreSubmodules=dirty",
    "log.showSignature=false",
)
_WITH_INPUT = 'exec "$@" < "$0"'


class GitError(MaxAgentError):
    """Git refused; its own words are in the message."""


@dataclass(frozen=True)
class UserGit:
    """The user's git in one working tree."""

    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables of every command, such as `GIT_DIR`."""

    def add_variables(self, **variables: str) -> "UserGit":
        """Return the same git with more variables."""
        return replace(self, variables={**self.variables, **variables})

    async def read(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        allowed_codes: Sequence[int] = (0,),
        input: bytes | None = None,
    ) -> bytes:
        """Run git without hooks and return what it prints; raises GitError."""
        return (await self._run(READING, arguments, env, allowed_codes, input)).stdout

    async def read_text(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        allowed_codes: Sequence[int] = (0,),
    ) -> str:
        """Run git without hooks and return what it prints, as text without blanks around it."""
        output = await self.read(*arguments, env=env, allowed_codes=allowed_codes)
        return os.fsdecode(output).strip()

    async def act(self, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        """Run git without hooks, for as long as a push takes; raises GitError."""
        await self._run(ACTING, arguments, env, (0,), None)

    async def _run(
        self,
        seconds: float,
        arguments: Sequence[str],
        env: Mapping[str, str] | None,
        allowed_codes: Sequence[int],
        input: bytes | None,
    ) -> CapturedOutput:
        flags = [word for pair in SWITCHES for word in ("-c", pair)]
        path = self.variables.get("PATH") or build_search_path(self.folder)
        program = await asyncio.to_thread(find_git_program, self.folder, {"PATH": path})
        variables = {"PATH": path, "GIT_NO_REPLACE_OBJECTS": "1", **self.variables, **(env or {})}
        command = [program, "--no-pager", *flags, *arguments]
        done = await run_program(command, self.folder, seconds, env=variables, input=input)
        if done.timed_out or done.cut or done.exit_code not in allowed_codes:
            raise build_error(arguments, done)
        return done


async def run_program(
    argv: Sequence[str],
    folder: Path,
    seconds: float,
    *,
    env: Mapping[str, str],
    input: bytes | None = None,
) -> CapturedOutput:
    """Run git or one of its hooks with the user's environment, but not that of a repository."""
    own = {name: value for name, value in os.environ.items() if not OF_REPOSITORY.fullmatch(name)}
    variables = {**own, "GIT_TERMINAL_PROMPT": "0", **env}
    if input is None:
        return await capture_output(
            argv, cwd=folder, timeout=seconds, limit=MAX_OUTPUT, env=variables
        )
    with TemporaryDirectory(prefix="mcode-") as place:
        file = Path(place, "input")
        file.write_bytes(input)
        shell = ["/bin/sh", "-c", _WITH_INPUT, str(file), *argv]
        return await capture_output(
            shell, cwd=folder, timeout=seconds, limit=MAX_OUTPUT, env=variables
        )


def find_git_program(folder: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return the git program; raises GitError if there is none that works."""
    program = find_program("git", environ, outside=[folder])
    if not program:
        raise GitError("git is not installed", hint="install git")
    if reason := read_git_failure(program, build_search_path(folder, environ=environ)):
        raise GitError(
            text("git does not work: `{program}` says `{reason}`", program=program, reason=reason),
            hint="repair or reinstall git; on macOS run `xcode-select --install`",
        )
    return program


def build_error(arguments: Sequence[str], done: CapturedOutput) -> GitError:
    """Return the error of a git command, with the last that it printed."""
    words = iter(arguments)
    command = next(word for word in words if word != "-c" or not next(words, ""))
    return build_program_error(f"git {command}", done)


def build_program_error(command: str, done: CapturedOutput) -> GitError:
    """Return the error of a program that failed or took too long, with the last that it printed."""
    if done.timed_out:
        return GitError(text("`{command}` took too long", command=command))
    printed = (done.stderr + b"\n" + done.stdout if done.stdout else done.stderr).decode(
        errors="replace"
    )
    lines = [line for line in redact(printed).splitlines() if line.strip()][-MAX_LINES:]
    return GitError(
        text(
            "`{command}` failed: {reason}",
            command=command,
            reason="\n".join(lines) or done.exit_code,
        ),
        hint=_FULL_DISK if "No space left on device" in printed else "",
    )
