"""LangGraph's task paths, private to it: they say which node wrote a row."""

# Begins the path of a node that follows an edge
PULLED = "~__pregel_pull, "
_PUSHED = "~__pregel_push, "
_UPDATED = "~__interrupt"

# GLOB, since an underscore stands for any character in LIKE
WRITTEN_BY_EDGE = "task_path GLOB '~__pregel_pull*'"
WRITTEN_BY_UPDATE = "task_path GLOB '~__interrupt*'"


def parse_node(path: str) -> str:
    """Name the node: `__start__` is the input, `tools` a call that was sent.

    Empty where a state update wrote the row.
    """
    if path.startswith(PULLED):
        return path.removeprefix(PULLED)
    return "tools" if path.startswith(_PUSHED) else ""


def is_state_update(path: str) -> bool:
    """Whether the row was put in from outside of the graph."""
    return path.startswith(_UPDATED)
