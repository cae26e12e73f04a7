"""Environment of git processes: the user's, without keys that git has no use for."""

import os
import re
import subprocess
from collections.abc import Mapping
from functools import cache

from ..security.secrets.known_values import is_secret_name
from ..text import text

# Variables that would lead git to another repository, as in a hook; git names them itself:
# `git rev-parse --local-env-vars`
OF_REPOSITORY = re.compile(
    r"GIT_(ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE"
    r"|INTERNAL_SUPER_PREFIX|NAMESPACE|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|QUARANTINE_PATH"
    r"|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)"
)
# Logins that git's credential helpers and `ssh` read
_LOGINS = re.compile(r"(GIT|GH|GITHUB|GITLAB|GLAB|CI|SSH|GPG|GNUPG)_.*")

# Seconds for `git --version`, and most characters of its complaint
_ANSWER_SECONDS, _MAX_WORDS = 10, 200


def build_git_environment(
    environ: Mapping[str, str] = os.environ, *, network: bool = False
) -> dict[str, str]:
    """Return the variables for a git process; with `network` also logins and git's own."""
    return {name: value for name, value in environ.items() if _may_pass(name, network)}


@cache
def read_git_failure(program: str, path: str) -> str:
    """Return why this git does not answer, in its own words; empty if it works. Blocks.

    macOS has a `git` that only says that its developer tools are not installed.
    `path`: where a wrapper finds the programs that it starts.
    """
    try:
        done = subprocess.run(
            [program, "--version"],
            env=build_git_environment() | {"PATH": path, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0 and done.stdout.startswith(b"git version"):
        return ""
    printed = (done.stderr or done.stdout).decode("utf-8", "replace").split("\n")
    return printed[0].strip()[:_MAX_WORDS] or text("exit code {code}", code=done.returncode)


def _may_pass(name: str, network: bool) -> bool:
    if not network:
        return not name.startswith("GIT_") and not is_secret_name(name)
    if OF_REPOSITORY.fullmatch(name):
        return False
    return bool(_LOGINS.fullmatch(name)) or not is_secret_name(name)
