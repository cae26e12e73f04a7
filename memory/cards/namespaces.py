"""Namespaces of the store: the user's cards, and each project's cards and notes.

A project is known by the first remote of its repository, so a clone elsewhere has the same memory;
without a remote it is known by its real path.
"""

import configparser
import hashlib
import os
import re
from pathlib import Path

from .card import SCOPES, Scope

Namespace = tuple[str, ...]

LINKS: Namespace = ("memory", "links")
"""By project, the other project whose memory it uses."""
_MOST_CONFIG_BYTES = 1_000_000
_SCP_FORM = re.compile(r"(?:[^@/:\s]+@)?([^/:\s]+):(?!//)(.+)")
_URL_FORM = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/\s]*@)?([^/:\s]*)(?::\d+)?/(.*)", re.IGNORECASE)


def get_namespace(scope: Scope, project: str) -> Namespace:
    """Return where the cards of this scope are."""
    return {
        "user": ("memory", "user"),
        "project": ("memory", "project", project),
        "notes": ("notes", "project", project),
    }[scope]


def get_scope(namespace: Namespace, project: str) -> Scope | None:
    """Return the scope of a namespace of this project; None for any other."""
    return next((scope for scope in SCOPES if get_namespace(scope, project) == namespace), None)


def identify_project(folder: Path) -> str:
    """Return the identity of the project around this folder: 16 hex digits."""
    root, config = _find_repository(Path(os.path.realpath(folder)))
    return hashlib.sha256((_read_remote(config, root) or str(root)).encode()).hexdigest()[:16]


def normalize_remote(url: str, root: Path) -> str:
    """Return a remote's address without credentials, alike for https and ssh."""
    url = url.strip().rstrip("/").removesuffix(".git")
    if matched := _URL_FORM.fullmatch(url) or _SCP_FORM.fullmatch(url):
        host, path = matched.groups()
        return f"{host.lower()}/{path.strip('/')}"
    return os.path.realpath(root / url)


def _find_repository(folder: Path) -> tuple[Path, Path | None]:
    """Return the root of the repository and its config; else the folder and None."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return place, git / "config"
        if git.is_file():
            return place, _find_linked_config(git)
    return folder, None


def _find_linked_config(git: Path) -> Path | None:
    """Follow the `.git` file of a worktree or submodule to the config that has its remotes."""
    line = _read_start(git)
    if not line.startswith("gitdir:"):
        return None
    folder = git.parent / line.removeprefix("gitdir:").strip()
    common = _read_start(folder / "commondir").strip()
    return folder / common / "config" if common else folder / "config"


def _read_remote(config: Path | None, root: Path) -> str:
    """Return the first remote's address; empty if there is none."""
    if config is None:
        return ""
    parser = configparser.RawConfigParser(
        strict=False, allow_no_value=True, delimiters=("=",), comment_prefixes=("#", ";")
    )
    lines = (line.strip() for line in _read_start(config).splitlines())
    try:
        parser.read_string("\n".join(lines))
    except configparser.Error:
        return ""
    for section in parser.sections():
        url = parser.get(section, "url", fallback="") if section.startswith("remote ") else ""
        if url:
            return normalize_remote(url.strip('"'), root)
    return ""


def _read_start(file: Path) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read(_MOST_CONFIG_BYTES)
    except OSError:
        return ""
