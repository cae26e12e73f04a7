"""What is written now where a consent was given for: whether it still covers its project."""

import os
from collections.abc import Mapping
from pathlib import Path

from ...config.security.provenance import Provenance
from .git_origins import SETTINGS, find_git_origins
from .origin import Origin, read_file_origin
from .package_scripts import read_install_scripts, read_script
from .task_files import read_tasks


def read_current_origin(
    consented: Provenance, root: Path, servers: Mapping[str, Origin]
) -> Origin | None:
    """Return what is written there now; None if nothing is.

    `servers` are the entries of MCP servers, by subject.
    """
    subject, file = consented.subject, root / consented.source
    kind, _, name = subject.partition(" ")
    if kind == "server":
        return servers.get(subject)
    if subject == SETTINGS:
        found = find_git_origins(root, root)
        return next((item for item in found if _is_same(item, consented)), None)
    if not os.path.isfile(file):
        return None
    if subject == "install scripts":
        return read_install_scripts(file, root)
    if kind == "script" and name:
        return read_script(name, file, root)
    if kind == "tasks" and name:
        return read_tasks(name, file, root)
    return read_file_origin(subject, file, root)


def _is_same(origin: Origin, consented: Provenance) -> bool:
    now = origin.provenance
    return (now.subject, now.source) == (consented.subject, consented.source)
