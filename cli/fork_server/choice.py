"""Whether runs are forked: the setting `server.warm`, and where it is never so."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..terminal_options import read_values


def is_off(arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Return whether the environment forbids it: a setting, CI, a debug log, a container's root."""
    chosen = get_variable(environ)
    if not os.path.isabs(environ.get("HOME", "/")):  # a start corrects it, or says that it cannot
        return True
    if chosen == "on":
        return False
    is_debugged = "--debug" in arguments or bool(environ.get("MAXAGENT_DEBUG"))
    is_usual = chosen in ("", "auto")
    return bool(not is_usual or environ.get("CI") or is_debugged or is_container_root(environ))


def is_wanted(environ: Mapping[str, str]) -> bool:
    """Return whether the user's settings allow it; a value that is not known forbids it."""
    return read_setting(environ) in ("auto", "on")


def read_setting(environ: Mapping[str, str]) -> str:
    """Return `server.warm` from the environment, the profile or the user's configuration."""
    values = read_values("server", locate_home(environ), environ)
    return values.get("warm", "auto").strip().lower()


def get_variable(environ: Mapping[str, str]) -> str:
    """Return `server.warm` as the environment has it; empty where it does not say."""
    for name in ("MAXAGENT_SERVER__WARM", "LLC_SERVER__WARM"):
        if value := environ.get(name, ""):
            return value.strip().lower()
    return ""


def is_container_root(environ: Mapping[str, str]) -> bool:
    """Return whether root runs in a container, where nothing should stay behind."""
    marks = ("/.dockerenv", "/run/.containerenv")
    return os.getuid() == 0 and ("container" in environ or any(map(os.path.exists, marks)))


def locate_home(environ: Mapping[str, str]) -> Path:
    """Return the home as `config.paths` does, without its imports."""
    chosen = environ.get("MAXAGENT_HOME") or environ.get("LLC_HOME")
    return Path(chosen).expanduser().absolute() if chosen else Path.home() / ".llc"
