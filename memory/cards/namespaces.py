"""Namespaces of the store: the user's cards, and each project's cards and notes.

A project is known by the real path of its folder, which no repository can choose. A folder has
another project's memory only if the user has linked it: `project_claim.py`.
"""

import hashlib
import os
from pathlib import Path

from ...config.remote_url import split_remote_url
from .card import Scope
from .repository import find_repository

Namespace = tuple[str, ...]

LINKS: Namespace = ("memory", "links")
"""By project, the one whose memory it uses, as the user has said; it may be the project itself."""
FOLDERS: Namespace = ("memory", "folders")
"""By project, its folder and the remote that its repository named when a card was kept."""
MIGRATIONS: Namespace = ("memory", "migrations")
"""What was done to cards of earlier versions."""
# The key there that says that cards of a remote were given to its folder
ADOPTED = "folders"


def get_namespace(scope: Scope, project: str) -> Namespace:
    """Return where the cards of this scope are."""
    return {
        "user": ("memory", "user"),
        "project": ("memory", "project", project),
        "notes": ("notes", "project", project),
    }[scope]


def identify_project(folder: Path) -> str:
    """Return the identity of the project around this folder: 16 hex digits."""
    return hash_name(str(find_repository(Path(os.path.realpath(folder))).find_main_folder()))


def identify_remote(folder: Path) -> str:
    """Return what the first remote around this folder stands for; empty if there is none.

    Only a hint that the project may be known from another folder: a repository writes it itself.
    """
    repository = find_repository(Path(os.path.realpath(folder)))
    remote = repository.read_remote()
    return hash_name(normalize_remote(remote, repository.root)) if remote else ""


def hash_name(name: str) -> str:
    """Return 16 hex digits that stand for a path or a remote."""
    return hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:16]


def normalize_remote(url: str, root: Path) -> str:
    """Return a remote's address without credentials, alike for https and ssh."""
    url = url.strip().rstrip("/").removesuffix(".git")
    if parts := split_remote_url(url):
        return f"{parts.host}/{parts.path.strip('/')}"
    return os.path.realpath(root / url)
