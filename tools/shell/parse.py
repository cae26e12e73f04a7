"""A command line parsed by tree-sitter-bash; what nobody can be sure of is said, never guessed.

The tree is believed only where every kind of node is known, nothing is an error, and all that lies
between two tokens is blank. Whatever the shell might read in another way raises `Unparsed`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST = 10_000
"""Characters of a line that is looked into."""
MOST_COMMANDS = 50
MOST_WORDS = 300

_KINDS = frozenset(
    [
        "program",
        "list",
        "pipeline",
        "command",
        "command_name",
        "subshell",
        "compound_statement",
        "negated_command",
        "if_statement",
        "elif_clause",
        "else_clause",
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "case_statement",
        "case_item",
        "do_group",
        "function_definition",
        "test_command",
        "redirected_statement",
        "file_redirect",
        "file_descriptor",
        "herestring_redirect",
        "heredoc_redirect",
        "heredoc_start",
        "heredoc_body",
        "heredoc_content",
        "heredoc_end",
        "variable_assignment",
        "variable_assignments",
        "variable_name",
        "special_variable_name",
        "subscript",
        "array",
        "declaration_command",
        "unset_command",
        "comment",
        "word",
        "number",
        "string",
        "string_content",
        "raw_string",
        "ansi_c_string",
        "translated_string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
        "binary_expression",
        "unary_expression",
        "postfix_expression",
        "parenthesized_expression",
        "ternary_expression",
        "test_operator",
        "extglob_pattern",
        "regex",
        "brace_expression",
    ]
)
_COMMANDS = frozenset(["command", "test_command", "declaration_command", "unset_command"])
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_BLANK = re.compile(rb"(?:[ \t\n]|\\\n)*")
_DASH = re.compile(rb"[ \t]-[ \t]*")
"""The argument that the grammar loses in `python - <<END`: it says what is so without it."""
_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")


_UNEXPLAINED = "the shell's grammar does not explain all of the line"


class Unparsed(Exception):
    """Nobody can be sure what the line does; the message says why, in words for people."""


class TooMuch(Unparsed):
    """The line is not looked into at all."""


def parse(source: str) -> "Node":
    """The tree of a line; raises Unparsed."""
    _refuse_text(source)
    root = tree(source)
    _refuse_tree(root, source.encode() + b"\n")
    return root


def tree(source: str) -> "Node":
    """The tree of any text, whatever its errors; raises Unparsed where there is no parser."""
    ended = source + "\n" if "<<" in source and not source.endswith("\n") else source
    try:
        return _parser().parse(ended.encode(errors="replace")).root_node
    except Exception as error:  # whatever a missing or broken parser raises, the answer is to ask
        raise Unparsed(f"the parser of command lines failed: {type(error).__name__}") from error


def joined(source: str) -> str:
    """The line without continuations, wherever they stand: bash takes them out of words too."""
    return _CONTINUED.sub(r"\1", source)


def text(node: "Node") -> str:
    """What a node covers, as written."""
    return (node.text or b"").decode()


def descendants(node: "Node") -> Iterator["Node"]:
    """A node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.children))


@lru_cache(maxsize=1)
def _parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _refuse_text(source: str) -> None:
    if len(source) > LONGEST:
        raise TooMuch(f"the line is over {LONGEST:,} characters long")
    if "\r" in source:
        raise Unparsed("the line holds a carriage return, which can hide what it does")
    if found := _HIDDEN.search(source):
        raise Unparsed(f"the line holds an invisible character (U+{ord(found[0]):04X})")


def _refuse_tree(root: "Node", source: bytes) -> None:
    commands, words, end, doubt = 0, 0, 0, ""
    for node in descendants(root):
        commands += node.type in _COMMANDS
        if not node.child_count and node.end_byte > node.start_byte:
            words += 1
            doubt = doubt or _gap(node, source[end : node.start_byte])
            end = max(end, node.end_byte)
        doubt = doubt or _oddity(node)
        if commands > MOST_COMMANDS:
            raise TooMuch(f"the line runs more than {MOST_COMMANDS} commands")
        if words > 2 * MOST_WORDS:
            raise TooMuch(f"the line has more than {MOST_WORDS} words")
    if doubt or not _BLANK.fullmatch(source[end:]):
        raise Unparsed(doubt or _UNEXPLAINED)


def _oddity(node: "Node") -> str:
    if node.is_error or node.is_missing:
        return _UNEXPLAINED
    if node.is_named and node.type not in _KINDS:
        return f"the line holds something unknown ({node.type})"
    return ""


def _gap(node: "Node", gap: bytes) -> str:
    """What lies between two tokens must be blank, but in texts, whose insides have no tokens."""
    dash = node.type.startswith("<<") and _DASH.fullmatch(gap)
    if _BLANK.fullmatch(gap) or dash or _is_in_text(node):
        return ""
    return "a blank in the line is not what it looks like"


def _is_in_text(node: "Node") -> bool:
    above = node.parent
    while above:
        if above.type in ("string", "heredoc_body", "expansion", "translated_string"):
            return True
        above = above.parent
    return False
