"""The files that define MCP servers: the user's own, and a trusted project's."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ...config.commented_json import parse_json
from ...config.errors import UsageError
from ...config.paths import locate_mcp_servers
from ...config.security.content_digest import UnreadableFileError, as_text, read_content
from ...config.text import text
from ...config.trust.decision import Trust, check_trust
from ...config.trust.inventory import PLACES
from ...config.trust.trusted_reader import read_listed_bytes
from ...config.yaml.reader import read_bytes
from .secret_values import remember_secrets
from .server_config import McpServer
from .server_parser import JsonObject, parse_server
from .server_policy import explain_refused_server
from .variables import Variables

# The keys below which files have their servers
SHAPES = ("servers", "mcpServers")
# Most servers of a file
MAX_SERVERS = 200


@dataclass(frozen=True)
class McpFile:
    """One file that defines servers."""

    path: Path
    from_project: bool
    problem: str = ""
    """Why nothing of it is read; mostly empty."""


@dataclass(frozen=True)
class McpConfiguration:
    """All servers that the user's and the project's files define."""

    servers: tuple[McpServer, ...]
    """One of each name, sorted by it."""
    files: tuple[McpFile, ...]
    """The existing files, the most important first."""
    shadowed: tuple[McpServer, ...] = ()
    """Servers that an equal name in a more important file hides."""


def load_servers(
    root: Path | None,
    home: Path,
    trust: Trust | None = None,
    client_servers: Sequence[McpServer] = (),
) -> tuple[McpServer, ...]:
    """Return the servers by name; of one name, the user's wins. It never raises.

    `client_servers` are those of a client, as an editor: a file's server of the same name wins,
    and none is used in an untrusted folder.
    """
    return load_configuration(root, home, trust, client_servers=client_servers).servers


def load_configuration(
    root: Path | None,
    home: Path,
    trust: Trust | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    client_servers: Sequence[McpServer] = (),
) -> McpConfiguration:
    """Read the user's file, then those of the project; without `trust`, it is looked up."""
    variables = Variables(environ, root)
    results = [_read_user_file(locate_mcp_servers(environ), variables)]
    if root is not None:
        trust = trust or check_trust(root, home)
        results += _read_project(root, trust, variables)
        if not trust.trusted:
            client_servers = [_refuse_untrusted(server, trust) for server in client_servers]
    existing = [result for result in results if result is not None]
    defined = [server for _, servers in existing for server in servers]
    chosen, shadowed = _choose_servers([*defined, *client_servers])
    for server in chosen:
        remember_secrets(server)
    chosen = tuple(map(_refuse_by_policy, chosen))
    return McpConfiguration(chosen, tuple(file for file, _ in existing), shadowed)


def _refuse_by_policy(server: McpServer) -> McpServer:
    """Return the server, with a problem if the administrator's policy does not allow it."""
    if server.problem:
        return server
    try:
        return replace(server, problem=explain_refused_server(server))
    except UsageError as error:
        return replace(server, problem=error.message)


def _choose_servers(
    servers: Iterable[McpServer],
) -> tuple[tuple[McpServer, ...], tuple[McpServer, ...]]:
    """Return the first server of each name, by name, and the others."""
    chosen, shadowed = dict[str, McpServer](), list[McpServer]()
    for server in servers:
        if chosen.setdefault(server.name, server) is not server:
            shadowed.append(server)
    return tuple(chosen[name] for name in sorted(chosen)), tuple(shadowed)


FileResult = tuple[McpFile, Sequence[McpServer]]


def _read_user_file(path: Path, variables: Variables) -> FileResult | None:
    file = McpFile(path, from_project=False)
    try:
        content = read_bytes(path)
        return None if content is None else _parse_file(file, content, variables)
    except UsageError as error:
        return replace(file, problem=error.message), ()


def _read_project(root: Path, trust: Trust, variables: Variables) -> Iterator[FileResult | None]:
    for place in PLACES["mcp"]:
        if not os.path.lexists(root / place):
            continue
        file = McpFile(root / place, from_project=True)
        try:
            if trust.trusted:
                content = read_listed_bytes(place, root, trust)
                yield None if content is None else _parse_file(file, content, variables)
            else:
                # listed only, and without values of the user's variables
                servers = _parse_file(file, read_content(root, place), Variables({}, root))[1]
                yield file, [_refuse_untrusted(server, trust) for server in servers]
        except UsageError as error:
            yield replace(file, problem=error.message), ()
        except UnreadableFileError as error:
            yield replace(file, problem=str(error)), ()


def _refuse_untrusted(server: McpServer, trust: Trust) -> McpServer:
    problem = text("its folder is not trusted: run `mcode trust`")
    if trust.changed:
        problem = text("its folder has changed: run `mcode trust`")
    return replace(server, problem=problem)


def _parse_file(file: McpFile, content: bytes, variables: Variables) -> FileResult:
    """Parse the servers of a file; raises UsageError if it is not such a file."""
    servers = [
        parse_server(name, entry, variables, source=str(file.path), from_project=file.from_project)
        for name, entry in read_entries(content).items()
    ]
    return file, servers


def read_entries(content: bytes) -> dict[str, object]:
    """Return the definitions in a file's bytes by name; raises UsageError."""
    entries = dict[str, object]()
    for definitions in find_sections(parse_content(content)[0]).values():
        for name, entry in definitions.items():
            entries.setdefault(name, entry)
    return entries


def parse_content(content: bytes) -> tuple[JsonObject, bool]:
    """Parse a file's bytes; return its object, and whether it is strict JSON."""
    file_text = as_text(content)
    if file_text is None:
        raise UsageError("it is not UTF-8 text", hint="save it as UTF-8")
    if not file_text.strip():
        return {}, True
    try:
        value, is_strict = parse_json(file_text)
    except ValueError as error:
        raise UsageError(_describe_json_error(error)) from error
    if not isinstance(value, dict):
        raise UsageError("it is not a JSON object", hint='write `{"servers": {}}`')
    return cast("JsonObject", value), is_strict


def find_sections(document: JsonObject) -> dict[str, Mapping[str, object]]:
    """Return the definitions below each key that may have them; raises UsageError."""
    sections = {key: document[key] for key in SHAPES if document.get(key) is not None}
    if document and not sections:
        raise UsageError(
            "it has neither `servers` nor `mcpServers`", hint='write `{"servers": {}}`'
        )
    for key, section in sections.items():
        if not isinstance(section, dict):
            raise UsageError(text("its `{key}` is not a JSON object", key=key))
        names = cast("dict[str, object]", section)
        if len(names) > MAX_SERVERS:
            raise UsageError(text("it has more than {limit} servers", limit=MAX_SERVERS))
    return cast("dict[str, Mapping[str, object]]", sections)


def _describe_json_error(error: ValueError) -> str:
    """Describe the error without the text of the file, which may hold secrets."""
    line, problem = getattr(error, "lineno", 0), getattr(error, "msg", str(error))
    if not line:
        return text("it is not JSON: {error}", error=problem)
    return text("it is not JSON: line {line}: {problem}", line=line, problem=problem)
