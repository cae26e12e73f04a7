"""The syntax tree of a line, as tree-sitter-bash gives it, and how to walk through it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


class Unparsed(Exception):
    """Nobody can be sure what the line does; the message says why, in words for people."""


class TooMuch(Unparsed):
    """The line is not looked into at all."""


def tree(source: str) -> "Node":
    """The tree of any text, whatever its errors; raises Unparsed where there is no parser."""
    # Without a break behind it the end of a here-document would be no end to the grammar.
    ended = source + "\n" if "<<" in source and not source.endswith("\n") else source
    try:
        return _parser().parse(ended.encode(errors="replace")).root_node
    except Exception as error:  # whatever a missing or broken parser raises, the answer is to ask
        raise Unparsed(f"the parser of command lines failed: {type(error).__name__}") from error


def text(node: "Node") -> str:
    """What a node covers, as written."""
    return (node.text or b"").decode()


def descendants(node: "Node") -> "Iterator[Node]":
    """A node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.children))


def forget_parser() -> None:
    """Let the next line look for the parser again."""
    _parser.cache_clear()


@lru_cache(maxsize=1)
def _parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))
