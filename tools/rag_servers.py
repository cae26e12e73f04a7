"""Which of the configured retrieval servers a call of `use_rag_tool` names."""

from collections.abc import Mapping


def find_server(given: object, servers: Mapping[str, str]) -> str:
    """Find the name of a server by its name or URL, or the only one if nothing is given.

    `servers` are base URLs by name. Returns an empty text for any other: keys and data would leave.
    """
    wanted = given.strip() if isinstance(given, str) else ""
    if not wanted:
        return next(iter(servers)) if len(servers) == 1 else ""
    if wanted in servers:
        return wanted
    address = wanted.rstrip("/")
    return next((name for name, url in servers.items() if url.rstrip("/") == address), "")


def describe_missing(given: object, servers: Mapping[str, str]) -> str:
    """Describe why no server was found."""
    known = ", ".join(f"`{name}`" for name in servers)
    if not known:
        return "no retrieval server is configured (`rag.servers`)"
    if given:
        return f"`{given}` is not a configured retrieval server; there are: {known}"
    return f"`server_name` must be one of {known}"
