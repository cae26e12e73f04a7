"""Environment of git processes: the user's, without keys that git has no use for."""

import os
import re
from collections.abc import Mapping

from ..security.secrets.known_values import is_secret_name

# Variables that would lead git to another repository, as in a hook; git names them itself:
# `git rev-parse --local-env-vars`
OF_REPOSITORY = re.compile(
    r"GIT_(ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE"
    r"|INTERNAL_SUPER_PREFIX|NAMESPACE|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|QUARANTINE_PATH"
    r"|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)"
)
# Logins that git's credential helpers and `ssh` read
_LOGINS = re.compile(r"(GIT|GH|GITHUB|GITLAB|GLAB|CI|SSH|GPG|GNUPG)_.*")


def build_git_environment(
    environ: Mapping[str, str] = os.environ, *, network: bool = False
) -> dict[str, str]:
    """Return the variables for a git process; with `network` also logins and git's own."""
    return {name: value for name, value in environ.items() if _may_pass(name, network)}


def _may_pass(name: str, network: bool) -> bool:
    if not network:
        return not name.startswith("GIT_") and not is_secret_name(name)
    if OF_REPOSITORY.fullmatch(name):
        return False
    return bool(_LOGINS.fullmatch(name)) or not is_secret_name(name)
