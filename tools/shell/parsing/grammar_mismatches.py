"""Places where bash may parse a line differently from the grammar.

The tree is trusted only if every kind of node is known, no node is an error, the gaps between
tokens are blank, and tokens that must touch do. A second parser found most of these cases.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ....config.text import text
from .syntax_tree import get_text, walk_nodes
from .words import is_ansi_string

if TYPE_CHECKING:
    from tree_sitter import Node

UNEXPLAINED = "not valid shell syntax"
NOT_BLANK = "the shell may split the words differently"

_STATEMENTS_LIST = """
list pipeline command subshell compound_statement negated_command if_statement while_statement
for_statement c_style_for_statement case_statement function_definition test_command
redirected_statement declaration_command unset_command variable_assignments
"""
_STATEMENTS = frozenset(_STATEMENTS_LIST.split())
_KINDS = _STATEMENTS | frozenset(
    [
        "program",
        "command_name",
        "elif_clause",
        "else_clause",
        "case_item",
        "do_group",
        "file_redirect",
        "file_descriptor",
        "herestring_redirect",
        "heredoc_redirect",
        "heredoc_start",
        "heredoc_body",
        "heredoc_content",
        "heredoc_end",
        "variable_assignment",
        "variable_name",
        "special_variable_name",
        "subscript",
        "array",
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
_RESERVED_LIST = """
! { } [[ ]] case do done elif else esac fi for function if in then until while select
"""
_RESERVED = frozenset(_RESERVED_LIST.split())
# Kinds whose parts must touch
_WHOLE = ("concatenation", "simple_expansion", "translated_string", "variable_assignment")
# Kinds of nodes that contain text besides tokens
_TEXTS = ("string", "expansion", "translated_string")
_BREAKS = re.compile(r"[\s;&|<>()]")
_DELIMITER = re.compile(r"""<<-?[ \t]*(\\?[\w.-]+|'[^'\n]*'|"[^"\n]*")(?=[\s;&|<>)])""")
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_PLAIN = re.compile(r"[\w./:@%+,=-]+")
_BLANK = re.compile(rb"(?:[ \t\n]|\\\n)*")
# The argument that the grammar loses in `python - <<END`; the command means the same without it
_DASH = re.compile(rb"[ \t]-[ \t]*")


def find_mismatch(node: "Node", source: bytes) -> str:
    """Describe what is wrong with a node, for the user; empty if nothing is."""
    if node.is_error or node.is_missing:
        return UNEXPLAINED
    if not node.is_named:
        return ""
    if node.type not in _KINDS:
        return text("unknown syntax ({type})", type=node.type)
    if check := _CHECKS.get(node.type):
        return check(node)
    return _check_neighbours(node.children, source)


def is_blank_tail(tail: bytes) -> bool:
    """Return whether the text after the last token has no meaning."""
    return _BLANK.fullmatch(tail) is not None


def is_blank(gap: bytes, begin: int, node: "Node") -> bool:
    """Return whether the gap before a token has no meaning; inside strings gaps may hold text."""
    if _BLANK.fullmatch(gap) or (node.type.startswith("<<") and _DASH.fullmatch(gap)):
        return True
    above = node.parent
    while above and not (above.type in _TEXTS and above.start_byte < begin):
        if above.type == "heredoc_body":
            return True
        above = above.parent
    return above is not None


def is_torn(left: "Node", right: "Node") -> bool:
    """Return whether bash would split two touching tokens at another place than the grammar.

    `2>` and `<&-` may continue, and `;&` belongs to `case` even if the grammar reads `&>` in it.
    """
    if left.end_byte != right.start_byte:
        return False
    number = left.type in ("number", "word") and get_text(left).isdigit()
    cut = (number and right.type[:1] in "<>") or (left.type == ";" and right.type[:1] == "&")
    return cut or left.type in ("<&-", ">&-")


def _check_neighbours(children: "Sequence[Node]", source: bytes) -> str:
    """Require a separator between two commands."""
    for child, next_child in pairwise(children):
        both = child.type in _STATEMENTS and next_child.type in _STATEMENTS
        if both and b"\n" not in source[child.start_byte : next_child.start_byte]:
            return UNEXPLAINED
    return ""


def _check_program(node: "Node") -> str:
    name = get_text(node)
    return (
        text("`{name}` is in the place of a program", name=name)
        if name in _RESERVED
        else _check_touching(node)
    )


def _check_command(node: "Node") -> str:
    if any(child.type in _STATEMENTS for child in node.children):
        return UNEXPLAINED
    torn = any(_is_file_continued(left, right) for left, right in pairwise(node.children))
    return NOT_BLANK if torn else _check_one_line(node)


def _is_file_continued(left: "Node", right: "Node") -> bool:
    """Return whether a word continues after the grammar ends the file of a redirection."""
    return left.type.endswith("_redirect") and left.end_byte == right.start_byte


def _check_negation(node: "Node") -> str:
    """Check a negation: `!x` is a program of that name, not a negation of `x`."""
    sign, negated = node.children[0], node.children[-1]
    return NOT_BLANK if sign.end_byte == negated.start_byte else _check_one_line(node)


def _check_test(node: "Node") -> str:
    """Check a test: inside single brackets `&&`, `<` and similar operators belong to the shell."""
    leaves = (leaf for leaf in walk_nodes(node) if not leaf.child_count and not leaf.is_named)
    signs = any(_BREAKS.search(leaf.type) for leaf in leaves)
    return UNEXPLAINED if node.children[0].type == "[" and signs else _check_one_line(node)


def _check_file_redirect(node: "Node") -> str:
    """Check a redirection: `<& -x` closes the input, and `x` is a word of the command."""
    torn = any(
        left.type in ("<&", ">&") and get_text(right).startswith("-") and get_text(right) != "-"
        for left, right in pairwise(node.children)
    )
    return NOT_BLANK if torn else _check_one_line(node)


def _check_here_document(node: "Node") -> str:
    """Check that a here-document's delimiter is unquoted or quoted as a whole."""
    return "" if _DELIMITER.match(get_text(node)) else NOT_BLANK


def _check_one_line(node: "Node") -> str:
    """Check that a command's words, or a redirection's file, are on one line."""
    raw, start = node.text or b"", node.start_byte
    gaps = (raw[a.end_byte - start : b.start_byte - start] for a, b in pairwise(node.children))
    return NOT_BLANK if any(b"\n" in gap.replace(b"\\\n", b"") for gap in gaps) else ""


def _check_word(node: "Node") -> str:
    return NOT_BLANK if _BREAKS.search(_ESCAPED.sub("", get_text(node))) else ""


def _check_pattern(node: "Node") -> str:
    """Check a pattern: after `==` the grammar reads up to a bracket, which only `[[ ]]` does.

    `ls == x; ./y }` is two commands.
    """
    above = node.parent
    while above and above.type not in _STATEMENTS | {"expansion", "case_item"}:
        above = above.parent
    own = above is not None and (
        above.type in ("expansion", "case_item") or above.children[0].type == "[["
    )
    return "" if own or _PLAIN.fullmatch(get_text(node)) else UNEXPLAINED


def _check_touching(node: "Node") -> str:
    touching = all(left.end_byte == right.start_byte for left, right in pairwise(node.children))
    return "" if touching else NOT_BLANK


def _check_expansion(node: "Node") -> str:
    """Check an expansion: `${BASH_CMDS[ls]:=./x}` makes `ls` run another program."""
    kinds = [child.type for child in node.children]
    sets = ":=" in kinds or "=" in kinds
    return "an expansion assigns an array element" if sets and "subscript" in kinds else ""


_CHECKS: dict[str, "Callable[[Node], str]"] = {
    "ansi_c_string": lambda node: "" if is_ansi_string(get_text(node)) else UNEXPLAINED,
    "command": _check_command,
    "command_name": _check_program,
    "expansion": _check_expansion,
    "file_descriptor": lambda node: "" if get_text(node).isdigit() else NOT_BLANK,
    "file_redirect": _check_file_redirect,
    **dict.fromkeys(["herestring_redirect", "declaration_command"], _check_one_line),
    "heredoc_redirect": _check_here_document,
    "negated_command": _check_negation,
    "test_command": _check_test,
    **dict.fromkeys(["regex", "extglob_pattern"], _check_pattern),
    **dict.fromkeys(["number", "test_operator", "variable_name", "word"], _check_word),
    **dict.fromkeys(_WHOLE, _check_touching),
}
