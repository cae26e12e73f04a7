"""Paths of MaxAgent's files: `~/.llc`, or the folder named by `MAXAGENT_HOME`."""

import json
import os
import pwd
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from .errors import MaxAgentError, UsageError
from .security.private_files import make_private_folder, restrict_to_owner
from .text import text


def locate_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the user's MaxAgent folder; it is not created here."""
    chosen = environ.get("MAXAGENT_HOME") or environ.get("LLC_HOME")
    return Path(chosen).expanduser().absolute() if chosen else find_user_home() / ".llc"


def find_user_home() -> Path:
    """Return the user's own folder: `HOME`, or the user database's where that is blank.

    Raises UsageError if neither knows one, and for a relative one: it would be in each project.
    """
    home = os.environ.get("HOME", "")
    if os.path.isabs(home):
        return Path(home)
    if home.strip():
        raise UsageError(
            text("`HOME` is not an absolute path: `{home}`", home=home),
            hint="set it to your own folder, or unset it",
        )
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise UsageError(
            "neither `HOME` nor the system says which folder is yours",
            hint="set `HOME`, or `MAXAGENT_HOME` for the files of MaxAgent",
        ) from None


def correct_home() -> UsageError | None:
    """Set a blank `HOME` to the user's folder, and a relative one after which to stop.

    Libraries and commands read it, too. Return the error of what cannot be used.
    """
    try:
        home = find_user_home() if "HOME" in os.environ else None
    except UsageError as error:
        del os.environ["HOME"]
        return error
    if home:
        os.environ["HOME"] = str(home)
    return None


def locate_user_config(home_folder: Path) -> Path:
    """Return the user's configuration file."""
    return home_folder / "config.yaml"


def locate_user_notes(home_folder: Path) -> Path:
    """Return the user's notes for every agent."""
    return home_folder / "notes.md"


def locate_project_config(folder: Path) -> Path:
    """Return the project's configuration file."""
    return folder / ".llc.yaml"


# Names that people give to a configuration, beside the ones that are read
_PROJECT_NAMES = (
    ".llc.yml", ".llc.json", ".llc.toml", "llc.yaml", "llc.yml", ".mcode.yaml", ".mcode.yml",
    ".maxagent.yaml", ".maxagent.yml",
)  # fmt: skip
_FOLDER_NAMES = (
    "config.yaml", "config.yml", "config.json", "config.toml", "settings.yaml", "settings.yml",
    "settings.json",
)  # fmt: skip


def find_misnamed_configs(folder: Path, home_folder: Path) -> list[tuple[Path, Path]]:
    """Return the files that look like a configuration and are not read, with the one that is."""
    user, project = locate_user_config(home_folder), locate_project_config(folder)
    in_home = [home_folder / name for name in _FOLDER_NAMES]
    others = [folder / name for name in _PROJECT_NAMES]
    if folder / ".llc" != home_folder:
        others += [folder / ".llc" / name for name in _FOLDER_NAMES]
    candidates = [*((file, user) for file in in_home), *((file, project) for file in others)]
    return [(file, right) for file, right in candidates if file != user and file.is_file()]


# Files in which other agents keep a project's permissions, with the key of them
_FOREIGN_PERMISSIONS = {
    ".claude/settings.json": "permissions",
    ".claude/settings.local.json": "permissions",
    "opencode.json": "permission",
    ".opencode/opencode.json": "permission",
    ".gemini/settings.json": "tools",
}
_MAX_FOREIGN_BYTES = 1_000_000


def find_foreign_permissions(folder: Path) -> list[str]:
    """Return the project's files with permissions of other agents, which are not read here."""
    return [name for name, key in _FOREIGN_PERMISSIONS.items() if _has_key(folder / name, key)]


def _has_key(file: Path, key: str) -> bool:
    try:
        if not file.is_file() or file.stat().st_size > _MAX_FOREIGN_BYTES:
            return False
        return bool(cast("dict[str, object]", json.loads(file.read_bytes())).get(key))
    except (OSError, ValueError, RecursionError, AttributeError):
        return False


def locate_mcp_servers(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the user's file of MCP servers: below `XDG_CONFIG_HOME`, mostly `~/.config`."""
    chosen = environ.get("XDG_CONFIG_HOME", "")
    # the specification ignores a relative one
    folder = Path(chosen) if os.path.isabs(chosen) else Path.home() / ".config"
    return folder / "maxagent" / "mcp_servers.json"


def ensure_data_folder(home_folder: Path) -> Path:
    """Create the private (0700) folder of threads, journals, snapshots and long outputs.

    Raises MaxAgentError if it cannot be created, or other users may have written to it.
    """
    folder = home_folder / "data"
    try:
        make_private_folder(folder)
        if planted := restrict_to_owner(folder):
            raise MaxAgentError(
                text("`{path}` is not yours, or a link where others could write", path=planted),
                hint="check what it is and remove it, or set `MAXAGENT_HOME` to another folder",
            )
    except NotADirectoryError as error:
        above = (parent for parent in folder.parents if parent.exists())
        raise MaxAgentError(
            text(
                "cannot keep data in `{folder}`: `{file}` is a file",
                folder=folder,
                file=next(above),
            ),
            hint="set `HOME`, or `MAXAGENT_HOME`, to a folder",
        ) from error
    except OSError as error:
        raise MaxAgentError(
            text("cannot keep data in `{folder}`: {reason}", folder=folder, reason=error.strerror),
            hint="make it a writable folder, or set `MAXAGENT_HOME` to another one",
        ) from error
    return folder


def locate_database(home_folder: Path) -> Path:
    """Return the one SQLite file: checkpoints, writes, journal and the list of threads."""
    return ensure_data_folder(home_folder) / "threads.db"


def locate_memory(home_folder: Path) -> Path:
    """Return the SQLite file of the cards that agents remember; it may not exist yet."""
    return ensure_data_folder(home_folder) / "memory.db"


def locate_tool_refusals(home_folder: Path) -> Path:
    """Return the list of models whose endpoint has denied tools; it may not exist yet."""
    return ensure_data_folder(home_folder) / "xml-models"


def locate_learnt_limits(home_folder: Path) -> Path:
    """Return the list of tokens that fit each model, where one refused more; it may not exist."""
    return ensure_data_folder(home_folder) / "model-limits"


def locate_mcp_logins(home_folder: Path) -> Path:
    """Return the path of the logins to MCP servers; it may not exist."""
    return home_folder / "data" / "mcp" / "logins.json"


def locate_outputs(home_folder: Path, thread_id: str) -> Path:
    """Return the folder of one thread's full command outputs; it may not exist yet."""
    return _locate_thread_folder(home_folder, "outputs", thread_id)


def locate_backups(home_folder: Path, thread_id: str) -> Path:
    """Return the folder of files that one thread's tools overwrote, where that is configured."""
    return _locate_thread_folder(home_folder, "backups", thread_id)


def locate_temporary(home_folder: Path, thread_id: str) -> Path:
    """Return the folder that the thread's sandboxed commands see as `/tmp`; it may not exist."""
    return _locate_thread_folder(home_folder, "temporary", thread_id)


def locate_workspace(home_folder: Path, thread_id: str) -> Path:
    """Return the folder of the clone in which a thread of the queue works; it may not exist."""
    return _locate_thread_folder(home_folder, "workspaces", thread_id)


def is_clone(folder: Path, home_folder: Path) -> bool:
    """Return whether a real folder is the clone of a thread of the queue, or in one."""
    clones = Path(os.path.realpath(home_folder)) / "data" / "workspaces"
    return folder.is_relative_to(clones) and len(folder.relative_to(clones).parts) > 2


THREAD_FOLDERS = (locate_outputs, locate_backups, locate_temporary, locate_workspace)
"""What each thread has a folder of, which goes with the thread."""


def locate_test_caches(home_folder: Path) -> Path:
    """Return the folder with a folder of caches for the tests of each project."""
    return home_folder / "data" / "test-caches"


def locate_request_log(home_folder: Path, thread_id: str) -> Path:
    """Return the file of one thread's log of requests; older parts have a number after its name."""
    folder = _locate_thread_folder(home_folder, "logs", thread_id)
    return folder.with_name(f"{folder.name}.jsonl")


def find_request_logs(home_folder: Path, thread_id: str) -> list[Path]:
    """Return the files of one thread's log of requests."""
    file = locate_request_log(home_folder, thread_id)
    return sorted(file.parent.glob(f"{file.name}*"))


def _locate_thread_folder(home_folder: Path, kind: str, thread_id: str) -> Path:
    """Return a folder below its kind and nowhere else: the ID may come from a manipulated row."""
    if not re.fullmatch(r"[\w-]+", thread_id):
        raise MaxAgentError(
            text("`{thread_id}` is not a thread ID", thread_id=thread_id),
            hint="another program wrote it",
        )
    return ensure_data_folder(home_folder) / kind / thread_id
