"""The words of a line with one simple command."""

from typing import TYPE_CHECKING

from .parser import join_continuations, parse_line
from .syntax_tree import ParseError
from .word_values import as_written, group_words

if TYPE_CHECKING:
    from tree_sitter import Node


def parse_plain_words(command: str) -> list[str] | None:
    """Return the words of one simple command; None if a shell would do more than pass them on."""
    if join_continuations(command) != command:
        return None
    try:
        root = parse_line(command)
        first = root.children[0] if len(root.children) == 1 else None
        if not first or first.type != "command" or any(map(_is_more, first.children)):
            return None
        words = [as_written(group) for group in group_words(first.children)]
    except ParseError:
        return None
    return [word for word, _ in words] if all(exact for _, exact in words) else None


def _is_more(node: "Node") -> bool:
    return node.type.endswith(("_redirect", "_assignment"))
