"""The syntax tree of a line, as tree-sitter-bash gives it, and how to walk through it."""

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
    """Nobody can be sure what the line does; the message says why, in words for people."""


class LineTooLargeError(ParseError):
    """The line is not looked into at all."""


def parse_tree(source: str) -> "Node":
    """The tree of any text, whatever its errors; raises Unparsed where no parser can give one."""
    if found := _CRASHES.search(source):
        raise ParseError(text("the parser cannot read U+{ord}", ord=f"{ord(found[1]):04X}"))
    # Without a break behind it the end of a here-document would be no end to the grammar.
    ended = source + "\n" if "<<" in source and not source.endswith("\n") else source
    try:
        return _load_parser().parse(ended.encode(errors="replace")).root_node
    except Exception as error:  # whatever a missing or broken parser raises, the answer is to ask
        raise ParseError(
            text("the shell parser failed: {name}", name=type(error).__name__)
        ) from error


def sanitize_source(source: str) -> str:
    """Nearly the same text, without what the parser cannot read."""
    return _ASTRAL.sub("_", source)


def get_text(node: "Node") -> str:
    """What a node covers, as written."""
    return (node.text or b"").decode()


def walk_nodes(node: "Node") -> "Iterator[Node]":
    """A node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.children))


def forget_parser() -> None:
    """Let the next line look for the parser again."""
    _load_parser.cache_clear()


@lru_cache(maxsize=1)
def _load_parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))
