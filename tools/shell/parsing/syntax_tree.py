"""The syntax tree of a line from tree-sitter-bash, and traversal of it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ....config.text import text

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


_ASTRAL = re.compile(r"[\U00010000-\U0010ffff]")
# Characters that can kill the process: the grammar's scanner looks them up in C's small table of
# digits and letters, here a superset of where it does (tree-sitter-bash 0.25.1, its issue 337).
_CRASHES = re.compile(r"(?:[{?-]|\.\.)[0-9A-Za-z\u0080-\uffff]*([\U00010000-\U0010ffff])")


class ParseError(Exception):
    """The effect of the line is uncertain; the message gives the reason for the user."""


class LineTooLargeError(ParseError):
    """The line is too large to be parsed."""


def parse_tree(source: str) -> "Node":
    """Parse any text, with or without errors; raises ParseError if the parser fails."""
    if match := _CRASHES.search(source):
        raise ParseError(
            text("the parser cannot read U+{codepoint}", codepoint=f"{ord(match[1]):04X}")
        )
    # Without a newline at its end the grammar does not find the end of a here-document
    ended = source + "\n" if "<<" in source and not source.endswith("\n") else source
    try:
        return _load_parser().parse(ended.encode(errors="replace")).root_node
    except Exception as error:  # if the parser is missing or broken, the user is asked
        raise ParseError(
            text("the shell parser failed: {name}", name=type(error).__name__)
        ) from error


def sanitize_source(source: str) -> str:
    """Return the text without what the parser cannot read."""
    return _ASTRAL.sub("_", source)


def get_text(node: "Node") -> str:
    """Return the source text of a node."""
    return (node.text or b"").decode()


def walk_nodes(node: "Node") -> "Iterator[Node]":
    """Yield a node and all nodes below it, in the order of the text."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.children))


def forget_parser() -> None:
    """Forget the parser, so that the next line loads it again."""
    _load_parser.cache_clear()


@lru_cache(maxsize=1)
def _load_parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))
