"""Profiles: the user's own settings over the common ones, `profiles/NAME.yaml` beside them.

Only the user chooses one, by the environment or an option: no file of a project names it.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ..errors import UsageError
from ..text import text

VARIABLE = "MAXAGENT_PROFILE"
_NAME = re.compile(r"[\w-][\w.-]{0,63}")


def locate_profiles(home: Path) -> Path:
    """Return the folder of the profiles; it may not exist."""
    return home / "profiles"


def list_profiles(home: Path) -> list[str]:
    """Return the names of the profiles, sorted; none in a folder that this user may not read."""
    try:
        files = os.listdir(locate_profiles(home))
    except OSError:
        return []
    names = (file.removesuffix(".yaml") for file in files if file.endswith(".yaml"))
    return sorted(name for name in names if _NAME.fullmatch(name))


def get_profile_name(environ: Mapping[str, str]) -> str:
    """Return the chosen profile; empty: none."""
    return environ.get(VARIABLE, "").strip()


def find_profile(home: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the file of the chosen profile, None without one; raises UsageError if it is missing.

    A name that is no plain word is no profile: it could lead to another folder.
    """
    name = get_profile_name(environ)
    if not name:
        return None
    file = locate_profiles(home) / f"{name}.yaml"
    if not _NAME.fullmatch(name) or not os.path.isfile(file):
        names = ", ".join(f"`{known}`" for known in list_profiles(home))
        known_names = text("there are: {names}", names=names) if names else ""
        raise UsageError(
            text("there is no profile `{name}`", name=name),
            hint=known_names or text("create `{file}`", file=locate_profiles(home) / "NAME.yaml"),
        )
    return file
