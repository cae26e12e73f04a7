"""The MCP servers that a project's files define, as they are written."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from ..commented_json import parse_json
from ..security.content_digest import UnreadableFileError, as_text, read_with_digest
from ..security.provenance import Provenance, compute_provenance_digest
from .program_item import MAX_SHOWN, ProgramItem

# The keys below which files have their servers
SHAPES = ("servers", "mcpServers")
# The names that programs give to a server's address
URL_KEYS = ("url", "httpUrl", "serverUrl")

_DEFAULT = re.compile(r"\$\{[^{}]*?:-([^{}]*)\}")
# Most defaults that are in one another
_MAX_DEFAULTS = 5


@dataclass(frozen=True)
class ServerEntry:
    """One server of a file."""

    name: str
    source: str
    definition: Mapping[str, object]


def read_server_entries(root: str, path: str) -> list[ServerEntry]:
    """Return the servers of a project's file."""
    try:
        return parse_server_entries(read_with_digest(root, path)[1], path)
    except UnreadableFileError:
        return []


def parse_server_entries(content: bytes, path: str) -> list[ServerEntry]:
    """Return the servers in a file's bytes; a file that is wrong has none, as for its reader."""
    try:
        document = parse_json(as_text(content) or "")[0]
    except ValueError:
        return []
    sections = [_to_mapping(_to_mapping(document).get(key)) for key in SHAPES]
    return [
        ServerEntry(name, path, _to_mapping(definition))
        for section in sections
        for name, definition in section.items()
    ]


def build_server_item(entry: ServerEntry) -> ProgramItem:
    """Build the item of a server."""
    digest = compute_provenance_digest(json.dumps(entry.definition, sort_keys=True))
    provenance = Provenance(f"server {entry.name}", entry.source, digest)
    return ProgramItem("server", provenance, describe_server(entry.definition)[:MAX_SHOWN])


def describe_server(definition: Mapping[str, object]) -> str:
    """Return the command or URL, arguments, and headers and variables by name.

    `${NAME}` stays as it is written, its value is not read; a literal secret is masked.
    """
    # loaded late: it is slow, and most projects have no server
    from ..security.masked_values import (
        join_words,
        mask_arguments,
        mask_literals,
        mask_named,
        mask_secrets,
        mask_url,
    )

    url = next((value for key in URL_KEYS if (value := _to_text(definition.get(key)))), "")
    command = _to_text(definition.get("command"))
    arguments = list_arguments(definition)
    parts = [join_words([mask_secrets(command), *mask_arguments(arguments)])] if command else []
    parts += [mask_url(url)] if url else []
    parts += [f"cwd {cwd}" for cwd in [_to_text(definition.get("cwd"))] if cwd]
    headers, env = _to_mapping(definition.get("headers")), _to_mapping(definition.get("env"))
    parts += [f"header {name}: {mask_literals(_to_text(value))}" for name, value in headers.items()]
    parts += [f"env {name}={mask_named(name, _to_text(value))}" for name, value in env.items()]
    login = _to_mapping(definition.get("oauth"))
    parts += [f"oauth {name}: {mask_named(name, _to_text(value))}" for name, value in login.items()]
    return "; ".join(parts)


def list_arguments(definition: Mapping[str, object]) -> list[str]:
    """Return the arguments of a server's command."""
    arguments = definition.get("args")
    return (
        list(map(_to_text, cast("list[object]", arguments))) if isinstance(arguments, list) else []
    )


def list_server_words(definition: Mapping[str, object]) -> list[str]:
    """Return the words that decide what a server runs: folder, command, arguments, variables.

    They come a second time with the defaults of their variables, if they have any.
    """
    env = _to_mapping(definition.get("env")).values()
    place = [_to_text(definition.get("cwd")), _to_text(definition.get("command"))]
    words = [*filter(None, place), *list_arguments(definition), *map(_to_text, env)]
    filled = [_put_in_defaults(word) for word in words]
    return words if filled == words else [*words, *filled]


def _put_in_defaults(word: str) -> str:
    """Put in the defaults, also one in another: `${A:-${B:-./run.sh}}`."""
    for _ in range(_MAX_DEFAULTS):
        filled = _DEFAULT.sub(r"\1", word)
        if filled == word:
            break
        word = filled
    return word


def _to_mapping(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
