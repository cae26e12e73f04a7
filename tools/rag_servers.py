"""Which of the configured retrieval servers a call of `use_rag_tool` names."""

from collections.abc import Mapping


def find_server(server: object, servers: Mapping[str, str]) -> str:
    """Find the name of a server by its name or URL, or the only one if nothing is given.

    `servers` are base URLs by name. Returns an empty text for any other: keys and data would leave.
    """
    requested_name = server.strip() if isinstance(server, str) else ""
    if not requested_name:
        return next(iter(servers)) if len(servers) == 1 else ""
    if requested_name in servers:
        return requested_name
    address = requested_name.rstrip("/")
    return next((name for name, url in servers.items() if url.rstrip("/") == address), "")


def describe_missing(server: object, servers: Mapping[str, str]) -> str:
    """Describe why no server was found."""
    names = ", ".join(f"`{name}`" for name in servers)
    if not names:
        return "no retrieval server is configured (`rag.servers`)"
    if server:
        return f"`{server}` is not a configured retrieval server; there are: {names}"
    return f"`server_name` must be one of {names}"
