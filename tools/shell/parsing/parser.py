"""A command line parsed; what nobody can be sure of is said, never guessed."""

import re
from typing import TYPE_CHECKING

from ....config.security.control_characters import UNSEEN
from .grammar_mismatches import NOT_BLANK, UNEXPLAINED, ends_blank, is_blank, is_torn, oddity
from .syntax_tree import TooMuch, Unparsed, descendants, tree

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 10_000
"""Characters of a line that is looked into."""
MOST_COMMANDS = 50
MOST_WORDS = 300
_MOST_NODES = 8 * MOST_WORDS

_COMMANDS = frozenset(["command", "test_command", "declaration_command", "unset_command"])
_HIDDEN = re.compile(f"[{UNSEEN}]")
_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")


def parse(source: str) -> "Node":
    """The tree of a line; raises Unparsed, and TooMuch for what is not to be looked into."""
    if len(source) > LONGEST:
        raise TooMuch(f"the line is over {LONGEST:,} characters long")
    if "\r" in source:
        raise Unparsed("the line holds a carriage return, which can hide what it does")
    if found := _HIDDEN.search(source):
        raise Unparsed(f"the line holds an invisible character (U+{ord(found[0]):04X})")
    root = tree(source)
    if doubt := _doubt(root, source.encode() + b"\n"):
        raise Unparsed(doubt)
    return root


def joined(source: str) -> str:
    """The line without continuations, wherever they stand: bash takes them out of words too."""
    return _CONTINUED.sub(r"\1", source)


def _doubt(root: "Node", source: bytes) -> str:
    """The first oddity of a tree; raises TooMuch."""
    if root.descendant_count > _MOST_NODES:
        raise TooMuch(f"the line has more than {MOST_WORDS} words")
    commands, words, doubt, last, end = 0, 0, "", root, 0
    for node in descendants(root):
        commands += node.type in _COMMANDS
        doubt = doubt or oddity(node, source)
        if not node.child_count and node.end_byte > node.start_byte:
            words += 1
            if not is_blank(source[end : node.start_byte], end, node) or is_torn(last, node):
                doubt = doubt or NOT_BLANK
            last, end = node, max(end, node.end_byte)
        if commands > MOST_COMMANDS:
            raise TooMuch(f"the line runs more than {MOST_COMMANDS} commands")
        if words > 2 * MOST_WORDS:
            raise TooMuch(f"the line has more than {MOST_WORDS} words")
    tail = source[end:].removesuffix(b"\n")  # else the line's last backslash would continue it
    return doubt or ("" if ends_blank(tail) else UNEXPLAINED)
