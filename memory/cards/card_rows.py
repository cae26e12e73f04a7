"""Rows of the store, read and written straight in its file, without LangGraph."""

import json
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from ..transaction import begin_transaction
from .namespaces import LINKS, Namespace, get_namespace


class CardRows:
    """The rows of an open file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def get(self, namespace: Namespace, key: str) -> dict[str, Any]:
        """Return a value; empty if there is none."""
        query = "SELECT value FROM store WHERE prefix = ? AND key = ?"
        row = self.connection.execute(query, (to_prefix(namespace), key)).fetchone()
        return load_value(row[0]) if row else {}

    def read_namespace(self, namespace: Namespace) -> list[tuple[str, dict[str, Any]]]:
        """Return the keys and values of a namespace."""
        query = "SELECT key, value FROM store WHERE prefix = ?"
        rows = self.connection.execute(query, (to_prefix(namespace),))
        return [(key, load_value(value)) for key, value in rows]

    def list_cards(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return prefix, key and value of the cards and notes of the user and all projects."""
        query = (
            "SELECT prefix, key, value FROM store WHERE prefix = 'memory.user'"
            " OR prefix LIKE 'memory.project.%' OR prefix LIKE 'notes.project.%'"
        )
        rows = self.connection.execute(query).fetchall()
        return [(prefix, key, load_value(value)) for prefix, key, value in rows]

    def replace(self, prefix: str, key: str, value: Mapping[str, object]) -> None:
        """Write another value in the place of one that was listed."""
        statement = "UPDATE store SET value = ? WHERE prefix = ? AND key = ?"
        self.connection.execute(statement, (json.dumps(value, ensure_ascii=False), prefix, key))

    def put(self, namespace: Namespace, key: str, value: Mapping[str, object]) -> None:
        """Write a value."""
        statement = "INSERT OR REPLACE INTO store (prefix, key, value) VALUES (?, ?, ?)"
        self.connection.execute(
            statement, (to_prefix(namespace), key, json.dumps(value, ensure_ascii=False))
        )

    def move_project(self, project: str, target: str) -> None:
        """Give the cards and notes of a project, and the links to it, to another one."""
        for scope in ("project", "notes"):
            prefixes = [to_prefix(get_namespace(scope, name)) for name in (target, project)]
            self.connection.execute(
                "UPDATE OR IGNORE store SET prefix = ? WHERE prefix = ?", prefixes
            )
        for key, value in self.read_namespace(LINKS):
            if value.get("project") == project:
                self.put(LINKS, key, {"project": target})

    def count_cards(self, project: str) -> int:
        """Return how many cards and notes a project has, in any state."""
        prefixes = [to_prefix(get_namespace(scope, project)) for scope in ("project", "notes")]
        query = "SELECT COUNT(*) FROM store WHERE prefix IN (?, ?)"
        count: int = self.connection.execute(query, prefixes).fetchone()[0]
        return count

    def resolve_link(self, project: str) -> str:
        """Return the project whose memory this one uses."""
        linked = self.get(LINKS, project).get("project")
        return linked if isinstance(linked, str) and linked else project

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Write all of it or nothing."""
        with begin_transaction(self.connection):
            yield


def to_prefix(namespace: Namespace) -> str:
    """Return a namespace as the store writes it."""
    return ".".join(namespace)


def load_value(value: str | bytes) -> dict[str, Any]:
    """Return a value of the store, which a person may have edited."""
    try:
        loaded = json.loads(value)
    except ValueError:
        return {}
    return cast(dict[str, Any], loaded) if isinstance(loaded, dict) else {}
