"""Secret files that a command names."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec

from ...filesystem.hard_links import has_hidden_name
from ...sensitive_paths import find_homes, list_secret_paths
from ...workspace import Workspace
from ..parsing.simple_command import SimpleCommand
from .existence_checks import is_existence_check
from .referenced_files import FileReference, find_folders, find_references

# Well-known secrets in homes and of the system, as gitignore patterns of absolute paths
_SECRETS = """
**/.ssh/
!**/.ssh/*.pub
!**/.ssh/known_hosts*
**/.gnupg/
**/.aws/
**/.azure/
**/.kube/config
**/.docker/config.json
**/.config/gh/
**/.config/gcloud/
**/.config/git/credentials
**/.password-store/
**/.local/share/keyrings/
**/.terraform.d/credentials*
**/.cargo/credentials*
**/.netrc
**/.git-credentials
**/.pgpass
**/.my.cnf
**/.npmrc
**/.pypirc
**/.vault-token
**/.*_history
**/id_rsa
**/id_dsa
**/id_ecdsa
**/id_ed25519
/etc/shadow*
/etc/gshadow*
/etc/ssh/*_key
/etc/ssl/private/
/proc/**/environ
/proc/**/mem
/proc/kcore
/dev/mem
/dev/kmem
/run/secrets/
/var/run/secrets/
"""
# Of Linux: no program can open a longer one
_MAX_NAME_LENGTH = 4_096
# A text that looks like a file name even if there is no such file
_FILE_LIKE = re.compile(r"/|\w\.\w|^\.\w")


def find_secret(step: SimpleCommand, workspace: Workspace) -> FileReference | None:
    """Find the name of a secret in a step; a match by chance only if there is no other."""
    secrets = (
        name for name, path in find_named_files(step) if _is_secret(name, path, step, workspace)
    )
    return min(secrets, key=lambda name: name.by_chance, default=None)


def find_named_files(step: SimpleCommand) -> Iterator[tuple[FileReference, str]]:
    """Yield the names in a step that are files, or look like one, with their absolute path."""
    names = list(dict.fromkeys(find_references(step)))
    for folder in find_folders(step):
        for name in names:
            yield from ((name, path) for path in _locate_file(name, folder))


def _locate_file(name: FileReference, folder: Path | None) -> Iterator[str]:
    looks = _FILE_LIKE.search(name.text) is not None
    if (
        not 0 < len(name.text) < _MAX_NAME_LENGTH
        or name.text in (".", "/")
        or "\0" in name.text
        or (not looks and not name.exact)
    ):
        return
    written = os.path.expanduser(name.text) if name.text.startswith("~") else name.text
    joined = os.path.join(folder or "/somewhere", written)
    path = os.path.normpath(joined).replace("//", "/", 1)
    if os.path.lexists(path) or (name.exact and looks):
        yield path
    if ".." in written and (real := _follow_links(joined)) != path and os.path.lexists(real):
        yield real


def _follow_links(path: str) -> str:
    """Return the real path: `..` behind a link is the folder above the link's target."""
    try:
        return os.path.realpath(path)
    except ValueError:  # no file can have that name
        return path


def _is_secret(name: FileReference, path: str, step: SimpleCommand, workspace: Workspace) -> bool:
    exists = os.path.lexists(path)
    hidden = _is_sensitive(path, workspace) or (exists and _is_sensitive_file(path, workspace))
    return hidden and not is_existence_check(step, name, path, workspace.root)


def _is_sensitive_file(path: str, workspace: Workspace) -> bool:
    """Return whether a path is a secret: the target of a link, or a hard link to a secret."""
    real = os.path.realpath(path)
    if _is_sensitive(real, workspace):
        return True
    with suppress(OSError, ValueError):  # deleted meanwhile, or outside the project
        name = workspace.to_relative(Path(real))
        stat_result = os.stat(real)
        return stat.S_ISREG(stat_result.st_mode) and has_hidden_name(workspace, name, stat_result)
    return False


@lru_cache(maxsize=10_000)
def _is_sensitive(path: str, workspace: Workspace) -> bool:
    place = workspace.select_readable(path)
    if place.is_ignored(path):
        return True
    name = path.lstrip("/")
    verdicts = {_load_spec().check_file(candidate).include for candidate in (name, name + "/")}
    at_home = _find_home_prefixes(os.path.expanduser("~"), workspace.root)
    is_at_home = not place.is_outside and f"{path}/".startswith(at_home)
    return True in verdicts or (False not in verdicts and is_at_home)


@lru_cache(maxsize=16)
def _find_home_prefixes(home: str, root: Path) -> tuple[str, ...]:
    """Return the secret paths in the user's home, except one that contains the project."""
    places = list_secret_paths({*find_homes(), Path(home)})
    return tuple(f"{place}/" for place in places if not root.is_relative_to(place))


@lru_cache(maxsize=1)
def _load_spec() -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(_SECRETS.split())
