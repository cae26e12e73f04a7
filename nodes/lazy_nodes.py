"""The nodes behind a model's answer: each is imported when it first runs, so a start needs none."""

from importlib import import_module
from typing import Any, Protocol

from langgraph.runtime import Runtime
from langgraph.types import Command

from .run.context import Context


class Node(Protocol):
    """A step of a graph."""

    async def __call__(self, state: Any, runtime: Runtime[Context]) -> Command[Any]:
        """Return the update, and where the thread goes."""
        ...


def lazy(entry_point: str) -> Node:
    """Return the node `module:function` of this floor; where it may go says `destinations`."""
    module, _, function = entry_point.partition(":")

    async def run_node(state: Any, runtime: Runtime[Context]) -> Command[Any]:
        node = getattr(import_module(f"..{module}", __name__), function)
        return await node(state, runtime)

    return run_node
