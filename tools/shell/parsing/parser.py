"""Parser for a command line; an ambiguous line is reported, never guessed."""

import re
from typing import TYPE_CHECKING

from ....config.security.control_characters import CONTROL_CHARACTERS
from ....config.text import text
from .grammar_mismatches import (
    NOT_BLANK,
    UNEXPLAINED,
    find_mismatch,
    is_blank,
    is_blank_tail,
    is_torn,
)
from .syntax_tree import LineTooLargeError, ParseError, parse_tree, walk_nodes

if TYPE_CHECKING:
    from tree_sitter import Node

# Most characters of a line that is parsed
MAX_LINE_LENGTH = 10_000
MAX_COMMANDS = 50
MAX_WORDS = 300
_MAX_NODES = 8 * MAX_WORDS

_COMMANDS = frozenset(["command", "test_command", "declaration_command", "unset_command"])
_HIDDEN = re.compile(f"[{CONTROL_CHARACTERS}]")
_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")


def parse_line(source: str) -> "Node":
    """Parse a line; raises ParseError, and LineTooLargeError for a line that is too large."""
    if len(source) > MAX_LINE_LENGTH:
        raise LineTooLargeError(text("more than {limit} characters", limit=f"{MAX_LINE_LENGTH:,}"))
    if "\r" in source:
        raise ParseError("a carriage return can hide text")
    if match := _HIDDEN.search(source):
        raise ParseError(
            text("an invisible character (U+{codepoint})", codepoint=f"{ord(match[0]):04X}")
        )
    root = parse_tree(source)
    if doubt := _find_doubt(root, source.encode() + b"\n"):
        raise ParseError(doubt)
    return root


def join_continuations(source: str) -> str:
    """Return the line without continuations, even inside words, as in bash."""
    return _CONTINUED.sub(r"\1", source)


def _find_doubt(root: "Node", source: bytes) -> str:
    """Return the first mismatch in a tree; raises LineTooLargeError."""
    if root.descendant_count > _MAX_NODES:
        raise LineTooLargeError(text("more than {most_words} words", most_words=MAX_WORDS))
    commands, words, doubt, last, end = 0, 0, "", root, 0
    for node in walk_nodes(root):
        commands += node.type in _COMMANDS
        doubt = doubt or find_mismatch(node, source)
        if not node.child_count and node.end_byte > node.start_byte:
            words += 1
            if not is_blank(source[end : node.start_byte], end, node) or is_torn(last, node):
                doubt = doubt or NOT_BLANK
            last, end = node, max(end, node.end_byte)
        if commands > MAX_COMMANDS:
            raise LineTooLargeError(
                text("more than {most_commands} commands", most_commands=MAX_COMMANDS)
            )
        if words > 2 * MAX_WORDS:
            raise LineTooLargeError(text("more than {most_words} words", most_words=MAX_WORDS))
    tail = source[end:].removesuffix(b"\n")  # else the last backslash would continue it
    return doubt or ("" if is_blank_tail(tail) else UNEXPLAINED)
