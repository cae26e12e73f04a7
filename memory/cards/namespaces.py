"""Namespaces of the store: the user's cards, and each project's cards and notes.

A project is known by the first remote of its repository, so a clone elsewhere has the same memory;
without a remote it is known by its real path.
"""

import hashlib
import os
from pathlib import Path

from ...config.remote_url import split_remote_url
from .card import SCOPES, Scope
from .repository import find_repository

Namespace = tuple[str, ...]

LINKS: Namespace = ("memory", "links")
"""By project, the other project whose memory it uses."""


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
    repository = find_repository(Path(os.path.realpath(folder)))
    remote = repository.read_remote()
    name = normalize_remote(remote, repository.root) if remote else str(repository.root)
    return hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:16]


def normalize_remote(url: str, root: Path) -> str:
    """Return a remote's address without credentials, alike for https and ssh."""
    url = url.strip().rstrip("/").removesuffix(".git")
    if parts := split_remote_url(url):
        return f"{parts.host}/{parts.path.strip('/')}"
    return os.path.realpath(root / url)
