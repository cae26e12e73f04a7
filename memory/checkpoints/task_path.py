"""LangGraph's private task paths, which name the node that wrote a row."""

# Begins the path of a node that follows an edge
PULLED = "~__pregel_pull, "
_PUSHED = "~__pregel_push, "
_UPDATED = "~__interrupt"

# Not LIKE, where an underscore matches any character
WRITTEN_BY_EDGE = "SUBSTR(task_path, 1, 14) = '~__pregel_pull'"
WRITTEN_BY_UPDATE = "SUBSTR(task_path, 1, 12) = '~__interrupt'"


def parse_node(path: str) -> str:
    """Return the node: `__start__` for the input, `tools` for a call that was sent.

    Empty if a state update wrote the row.
    """
    if path.startswith(PULLED):
        return path.removeprefix(PULLED)
    return "tools" if path.startswith(_PUSHED) else ""


def is_state_update(path: str) -> bool:
    """Return whether the row was written from outside the graph."""
    return path.startswith(_UPDATED)
