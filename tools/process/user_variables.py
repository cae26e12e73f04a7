"""Variables of the user's shell that commands and tests get: all but secrets and few others.

What only reads and runs unasked gets fewer: `environment.py`.
"""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from ...config.git.environment import OF_REPOSITORY
from ...config.security.secrets.detection import find_secrets
from ...config.security.secrets.known_values import is_secret_name
from ...config.security.secrets.names import find_kind
from ...config.text import text

# Read by the loader or the shell of each program, before the sandbox is there
_LOADED = re.compile(
    r"LD_.+|DYLD_.+|GCONV_PATH|BASH_ENV|ENV|IFS|PS4|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|BASH_FUNC_.+"
)
HELD_BACK = (
    "`{name}` of your shell is held back from commands, since it may be a secret; the setting "
    "`environment.include` gives it to them"
)
_OWN = re.compile(r"(MAXAGENT|LLC)_.+")
NO_EDITOR = Path(os.path.realpath(__file__)).with_name("no_editor.sh")
# A person is not there to use one: a command would wait until its time is over
EDITORS: Mapping[str, str] = dict.fromkeys(
    ("EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"),
    shlex.join(("/bin/sh", str(NO_EDITOR))),
)


@dataclass(frozen=True)
class VariableRules:
    """The user's settings: patterns of names, with `*`."""

    include: tuple[str, ...] = ()
    """Variables that commands get although they may be secrets."""
    exclude: tuple[str, ...] = ()
    """Variables that commands never get."""


def select_variables(own: Mapping[str, str], rules: VariableRules) -> dict[str, str]:
    """Return the variables of `own` that commands get."""
    return {
        **{name: value for name, value in own.items() if _may_pass(name, value, rules)},
        **EDITORS,
    }


def list_held_back(own: Mapping[str, str], rules: VariableRules) -> list[str]:
    """List the names of the variables that may be secrets, or that the user excludes."""
    return sorted(
        name
        for name, value in own.items()
        if not _is_never_passed(name) and not _may_pass(name, value, rules)
    )


def explain_failure(output: str, own: Mapping[str, str], rules: VariableRules) -> str:
    """Explain a failure whose output names a variable that was held back; else empty."""
    words = set(re.findall(r"\w+", output))
    name = next((name for name in list_held_back(own, rules) if name in words), "")
    return text(HELD_BACK, name=name) if name else ""


def _may_pass(name: str, value: str, rules: VariableRules) -> bool:
    if _is_never_passed(name) or _matches(name, rules.exclude):
        return False
    return _matches(name, rules.include) or not _is_secret(name, value)


def _is_never_passed(name: str) -> bool:
    patterns = (_LOADED, _OWN, OF_REPOSITORY)
    return name in EDITORS or any(pattern.fullmatch(name) for pattern in patterns)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@lru_cache(maxsize=1000)
def _is_secret(name: str, value: str) -> bool:
    """Return whether a variable is a secret by its name, or has one in its value."""
    return is_secret_name(name) or find_kind(name) is not None or bool(find_secrets(f" {value} "))
