"""System folders and sockets that the sandbox treats specially."""

import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...config.errors import UsageError
from ...config.text import text

# The last one is full of other programs' sockets
_PRIVATE = ("/tmp", "/var/tmp", "/run")
# Programs, on NixOS
_RUNNING = ("/run/current-system", "/run/opengl-driver")
# Targets of the link `/etc/resolv.conf`
_RESOLVING = ("/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf", "/run/connman")


def find_private_folders() -> tuple[Path, ...]:
    """Return the folders that are replaced by empty private ones."""
    names = (tempfile.gettempdir(),) if sys.platform == "darwin" else _PRIVATE
    return tuple(_resolve_folders(name for name in names if os.path.isdir(name)))


def find_shown_folders(private: Sequence[Path], *, network: bool) -> tuple[Path, ...]:
    """Return the needed paths in private folders: programs and, with a network, name resolution."""
    homes = [sys.prefix, sys.base_prefix, os.environ.get("VIRTUAL_ENV", "")]
    on_path = filter(None, os.environ.get("PATH", "").split(os.pathsep))
    homes += [folder.removesuffix("/bin") for folder in on_path]
    resolved = _resolve_folders([*homes, *_RUNNING, *(_RESOLVING if network else ())])
    return tuple(path for path in resolved if any(_is_below(path, folder) for folder in private))


def find_user_files() -> tuple[Path, ...]:
    """Return the home folder with git's settings: it may lie in a private folder."""
    home = Path(os.path.realpath(os.path.expanduser("~")))
    names = (home, home / ".gitconfig", home / ".config" / "git")
    return tuple(Path(os.path.realpath(name)) for name in names if os.path.exists(name))


def resolve_writable_folders(names: Iterable[str], project: Path, home: Path) -> tuple[Path, ...]:
    """Resolve the folders of `sandbox.writable`, even if they do not exist.

    Raises UsageError for a path that is not a folder, is too broad, or could be chosen by a
    command.
    """
    paths = {name: project / os.path.expanduser(name) for name in names}
    folders = {name: _resolve_writable(name, path, project, home) for name, path in paths.items()}
    for name, path in paths.items():
        if _has_link_in(path, (project, *folders.values())):
            raise _build_error(
                name, ("its path contains a symlink that a command could have created")
            )
    return tuple(folders.values())


def _resolve_writable(name: str, path: Path, project: Path, home: Path) -> Path:
    real = Path(os.path.realpath(path))
    too_much = (project, *(Path(os.path.realpath(folder)) for folder in (Path.home(), home)))
    if not name.strip() or any(folder.is_relative_to(real) for folder in too_much):
        reason = "it contains the home folder, the project or MaxAgent's own folder"
    elif os.path.lexists(real) and not os.path.isdir(real):
        reason = "not a folder"
    else:
        return real
    raise _build_error(name, reason)


def _has_link_in(path: Path, folders: Sequence[Path]) -> bool:
    """Return whether a path contains a link that lies in one of the folders."""
    links = [place for place in (path, *path.parents) if place.is_symlink()]
    parents = [Path(os.path.realpath(link.parent)) for link in links]
    return any(parent.is_relative_to(folder) for parent in parents for folder in folders)


def _build_error(name: str, why: str) -> UsageError:
    return UsageError(
        text("`sandbox.writable`: `{name}` cannot be opened: {why}", name=name, why=why),
        hint="list single folders, such as `~/.cache/pip`",
    )


def _resolve_folders(names: Iterable[str]) -> list[Path]:
    paths = (Path(os.path.realpath(name)) for name in names if name)
    return list(dict.fromkeys(path for path in paths if os.path.isdir(path)))


def _is_below(path: Path, folder: Path) -> bool:
    return path != folder and path.is_relative_to(folder)


_LISTED = Path("/proc/net/unix")


def find_listening_sockets(listing: Path = _LISTED) -> list[Path]:
    """Return the file system paths of the sockets in this network namespace."""
    try:
        lines = listing.read_bytes().splitlines()[1:]
    except OSError:
        return []
    named = (line.split(maxsplit=7) for line in lines)
    paths = {os.fsdecode(fields[7]) for fields in named if fields[7:]}
    real = {Path(os.path.realpath(path)) for path in paths if path.startswith("/")}
    return sorted(path for path in real if os.path.exists(path))
