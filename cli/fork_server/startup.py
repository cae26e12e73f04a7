"""When a server is started: at the end of a run that started cold, for the next one."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ...config.security.private_files import make_private_folder
from . import channel, identity
from .choice import is_off, is_wanted, locate_home, read_setting
from .client import PATIENCE, is_possible

RETRY_SECONDS = 600
"""After a server that could not listen, or was killed, the next one is started this much later."""


def start_server(arguments: Sequence[str], environ: Mapping[str, str] = os.environ) -> None:
    """Start a server for runs like this one; end it where it is not wanted any more."""
    home = locate_home(environ)
    if not is_possible(arguments, environ) or not home.is_dir():
        return
    with suppress(OSError):
        setting = read_setting(environ)
        confinement = identity.read_confinement("self")
        key = identity.compute_key(environ, confinement)
        is_useful = setting == "on" or (setting == "auto" and is_at_terminal())
        if setting not in ("auto", "on"):
            end_server(home, key)
        elif is_useful and not identity.gives_up_privileges(confinement):
            _start(home, key, environ)


def is_at_terminal() -> bool:
    """Return whether a person may have started this; a script's runs leave nothing behind."""
    return any(map(os.isatty, range(3)))


def _start(home: Path, key: str, environ: Mapping[str, str]) -> None:
    folder = channel.locate_servers(home)
    make_private_folder(folder)
    if _was_started(channel.locate_lock(folder, key)):
        return
    subprocess.Popen(
        [sys.executable, "-P", "-m", "maxagent.cli.preload", str(folder), key],
        env={"PATH": environ.get("PATH", os.defpath), **identity.list_fixed_variables(environ)},
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _was_started(lock: Path) -> bool:
    """Return whether a server is being started, or failed lately: one that ends has no lock."""
    try:
        return time.time() - lock.stat().st_mtime < RETRY_SECONDS
    except FileNotFoundError:
        return False


def end_server(home: Path, key: str) -> None:
    """Ask the server to take no more callers; raise OSError without one."""
    with channel.connect(home, key, PATIENCE) as server:
        server.sendall(channel.QUIT)


def count_forks(home: Path, environ: Mapping[str, str]) -> int | None:
    """Return how many runs the server has forked; None: there is none for this process."""
    try:
        key = identity.compute_key(environ, identity.read_confinement("self"))
        with channel.connect(home, key, PATIENCE) as server:
            server.sendall(channel.STATUS)
            return channel.receive_notice(server)[1]
    except (OSError, EOFError):
        return None


def explain_cold_start(environ: Mapping[str, str]) -> str:
    """Return why runs start cold here, as a key of the catalogue; empty: they need not."""
    if sys.platform != "linux":
        return "system"
    if is_off((), environ) or not is_wanted(environ):
        return "off"
    if not identity.is_usual_python(environ):
        return "python"
    return "confined" if identity.gives_up_privileges(identity.read_confinement("self")) else ""
