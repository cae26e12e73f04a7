"""Scripts of a project that hooks, checks and MCP servers run: no model edits them unasked.

They run without a question, so a change of one counts as a change of what was consented to.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..config.errors import MaxAgentError
from ..config.paths import locate_mcp_servers, locate_user_config
from ..config.security.content_digest import UnreadableFileError, read_regular_file
from ..config.settings.profiles import list_profiles, locate_profiles
from ..config.text import join_texts, text
from ..config.trust.command_files import find_command_files
from ..config.trust.program_inventory import (
    list_command_scripts,
    list_scripts,
    list_server_scripts,
    read_commands,
)
from ..config.trust.program_item import ProgramItem, name_subject
from ..config.trust.server_programs import list_server_words, parse_server_entries
from ..config.trust.store import read_consents
from ..memory.worktrees.record import find_origins
from .workspace import Workspace

_MAX_CONFIG_BYTES = 1_000_000


def find_named_scripts(workspace: Workspace) -> list[Path]:
    """Return the real paths of the scripts that the project's files or the user's own name.

    The user's own commands need no trust, so a script of theirs counts before it exists, too.
    """
    root = str(workspace.root)
    names = {item.file for item in list_scripts(root)}
    if workspace.own:
        names.update(_find_user_files(workspace.own, root))
    paths = dict.fromkeys(Path(os.path.realpath(workspace.root / name)) for name in sorted(names))
    return [path for path in paths if path.is_relative_to(workspace.root)]


def is_named_script(workspace: Workspace, path: str) -> bool:
    """Return whether a path, relative to the project, is such a script or leads to one."""
    return Path(os.path.realpath(workspace.root / path)) in find_named_scripts(workspace)


def explain_unconfirmed_command(command: str, workspace: Workspace) -> str:
    """Explain why a hook or check must not run: its script changed; empty if it may."""
    return _explain(list_command_scripts(command, str(workspace.root)), workspace)


def explain_unconfirmed_server(words: Iterable[str], workspace: Workspace) -> str:
    """Explain likewise why a project's server must not be started."""
    return _explain(list_server_scripts(words, str(workspace.root)), workspace)


def _explain(scripts: list[ProgramItem], workspace: Workspace) -> str:
    try:
        changed = _list_unconfirmed(scripts, workspace) if scripts and workspace.own else []
    except MaxAgentError as error:  # of the trust record
        return error.message
    if not changed:
        return ""
    names = join_texts(", ", [f"`{item.name}`" for item in changed])
    return text(
        "{names} changed since you trusted it, so it does not run; review it with `mcode trust`, "
        "or `/trust` in a conversation",
        names=names,
    )


def _list_unconfirmed(scripts: list[ProgramItem], workspace: Workspace) -> list[ProgramItem]:
    """Return those that the project's files name, and whose content nobody has consented to."""
    root, home = workspace.root, workspace.own or Path()
    project = os.path.realpath((root, *find_origins(root, home))[-1])
    consent = read_consents(home).get(project)
    if consent is None:  # nothing of the project's files runs
        return []
    known = {name_subject("script", path): digest for path, digest in consent.files.items()}
    known |= {program.subject: program.digest for program in consent.programs or ()}
    named = {item.name for item in list_scripts(str(root))}
    items = ((item, item.provenance) for item in scripts if item.name in named)
    return [item for item, now in items if not now.digest or known.get(now.subject) != now.digest]


def _find_user_files(home: Path, root: str) -> Iterator[str]:
    """Yield the project's files that the user's own hooks, checks and servers name.

    All profiles count: another shell may have chosen one.
    """
    profiles = [locate_profiles(home) / f"{name}.yaml" for name in list_profiles(home)]
    for file in (locate_user_config(home), *profiles):
        commands = read_commands(_read(file))
        if not commands:
            continue
        result = find_command_files(commands, root)
        yield from (*result.files, *(path for path, _ in result.entries), *result.missing)
    for entry in parse_server_entries(_read(locate_mcp_servers()), ""):
        result = find_command_files([], root, list_server_words(entry.definition))
        yield from (*result.files, *result.missing)


def _read(file: Path) -> bytes:
    try:
        return read_regular_file(os.path.realpath(file), _MAX_CONFIG_BYTES)
    except UnreadableFileError:
        return b""
