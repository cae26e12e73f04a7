"""Git as the user runs it: with their hooks, filters, credential helpers and signing.

Only for what the user has asked for, in a folder that they trust. `read` runs no hooks.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...config.errors import MaxAgentError
from ...config.security.executables import find_program
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
# Variables that would lead git to another repository, as in a hook; git names them itself:
# `git rev-parse --local-env-vars`
_OF_REPOSITORY = re.compile(
    r"GIT_(ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE"
    r"|INTERNAL_SUPER_PREFIX|NAMESPACE|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|QUARANTINE_PATH"
    r"|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)"
)
_READS = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false")


class GitError(MaxAgentError):
    """Git refused; its own words are in the message."""


@dataclass(frozen=True)
class UserGit:
    """The user's git in one working tree."""

    folder: Path

    async def read(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        allowed_codes: Sequence[int] = (0,),
    ) -> bytes:
        """Run git without hooks and return what it prints; raises GitError."""
        flags = [word for setting in _READS for word in ("-c", setting)]
        return (await self._run(READING, [*flags, *arguments], env, allowed_codes)).stdout

    async def read_text(self, *arguments: str, allowed_codes: Sequence[int] = (0,)) -> str:
        """Run git without hooks and return what it prints, as text without blanks around it."""
        return os.fsdecode(await self.read(*arguments, allowed_codes=allowed_codes)).strip()

    async def act(self, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        """Run git with the user's hooks; raises GitError with what git and the hooks printed."""
        await self._run(ACTING, arguments, env, (0,))

    async def _run(
        self,
        seconds: float,
        arguments: Sequence[str],
        env: Mapping[str, str] | None,
        allowed_codes: Sequence[int],
    ) -> CapturedOutput:
        own = {
            name: value for name, value in os.environ.items() if not _OF_REPOSITORY.fullmatch(name)
        }
        done = await capture_output(
            [find_git_program(self.folder), "--no-pager", *arguments],
            cwd=self.folder,
            timeout=seconds,
            limit=MAX_OUTPUT,
            env={**own, "GIT_TERMINAL_PROMPT": "0", **(env or {})},
        )
        if done.timed_out or done.cut or done.exit_code not in allowed_codes:
            raise _build_error(arguments, done)
        return done


def find_git_program(folder: Path) -> str:
    """Return the git program; raises GitError if there is none."""
    program = find_program("git", outside=[folder])
    if not program:
        raise GitError("git is not installed", hint="install git")
    return program


def _build_error(arguments: Sequence[str], done: CapturedOutput) -> GitError:
    words = iter(arguments)
    command = next(word for word in words if word != "-c" or not next(words, ""))
    if done.timed_out:
        return GitError(text("`git {command}` took too long", command=command))
    printed = (done.stderr + b"\n" + done.stdout if done.stdout else done.stderr).decode(
        errors="replace"
    )
    lines = [line for line in redact(printed).splitlines() if line.strip()][-MAX_LINES:]
    return GitError(
        text(
            "`git {command}` failed: {reason}",
            command=command,
            reason="\n".join(lines) or done.exit_code,
        ),
        hint=_FULL_DISK if "No space left on device" in printed else "",
    )
