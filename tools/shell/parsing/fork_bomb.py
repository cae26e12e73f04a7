"""Functions that start themselves again and again, beside each other: fork bombs by any name."""

from typing import TYPE_CHECKING

from .syntax_tree import get_text, walk_nodes

if TYPE_CHECKING:
    from tree_sitter import Node


def is_fork_bomb(name: str, body: "Node") -> bool:
    """Whether a function calls itself twice, or once in the background."""
    nodes = list(walk_nodes(body))
    calls = sum(node.type == "command_name" and get_text(node) in (name, "$0") for node in nodes)
    beside = any(node.type in ("|", "&", "|&") for node in nodes)
    return calls > 1 and beside or calls > 0 and any(node.type == "&" for node in nodes)
