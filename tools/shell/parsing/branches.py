"""Commands of which not all run, and the states in which a shell may go on after them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .shell_state import ShellState
from .syntax_tree import get_text

if TYPE_CHECKING:
    from tree_sitter import Node

_ENDS = ("exit", "return", "break", "continue")
_CHANGES_FOLDER = ("cd", "pushd")
_LOOPS = ("for_statement", "c_style_for_statement", "while_statement")
_ASSIGNMENTS = ("variable_assignment", "variable_assignments")


@dataclass(frozen=True)
class Outcome:
    """The states after a command that succeeded and one that failed; None is never reached."""

    success: ShellState | None = None
    failure: ShellState | None = None

    def join(self, right: "Outcome", *, is_and: bool) -> "Outcome":
        """Return that of `A && B`, or of `A || B`, where B has the right outcome."""
        if is_and:
            return Outcome(right.success, _join(self.failure, right.failure))
        return Outcome(_join(self.success, right.success), right.failure)


def _join(*states: ShellState | None) -> ShellState | None:
    reached = [state for state in states if state is not None]
    if not reached:
        return None
    joined = reached[0].copy()
    joined.resume(*reached)
    return joined


def read_outcome(node: "Node", scope: ShellState) -> Outcome:
    """Return the outcome of a command that left the shell in this state."""
    if ends_shell(node):
        return Outcome()
    success, failure = scope.copy(), scope.copy()
    if _find_name(node) in _CHANGES_FOLDER:
        success.left_in = None
    is_sure = node.type in _ASSIGNMENTS and not _has_substitution(node)
    return Outcome(success, None if is_sure else failure)


def ends_shell(node: "Node") -> bool:
    """Return whether nothing that follows runs: `exit`, or `{ …; exit 1; }`."""
    if node.type == "compound_statement" and node.named_children:
        return ends_shell(node.named_children[-1])
    return _find_name(node) in _ENDS


def split_branches(
    node: "Node", parts: "list[Node]"
) -> "tuple[list[Node], list[list[Node]], bool]":
    """Split parts into those that always run and branches; the last: whether one of them runs."""
    if node.type in _LOOPS:
        body = [part for part in parts if part.type == "do_group"]
        return [part for part in parts if part not in body], [body], False
    if node.type == "case_statement":
        items = [part for part in parts if part.type == "case_item"]
        always = [part for part in parts if part not in items]
        return always, [[item] for item in items], any(map(_takes_anything, items))
    if node.type != "if_statement":
        return parts, [], True
    then = next((child.start_byte for child in node.children if child.type == "then"), 0)
    always = [part for part in parts if part.start_byte < then]
    others = [part for part in parts if part.type in ("elif_clause", "else_clause")]
    body = [part for part in parts if part not in (*always, *others)]
    is_complete = any(part.type == "else_clause" for part in others)
    return always, [body, *([other] for other in others)], is_complete


def _takes_anything(item: "Node") -> bool:
    return any(get_text(value) == "*" for value in item.children_by_field_name("value"))


def _find_name(node: "Node") -> str:
    """Return the name of the program of a simple command, behind redirections too."""
    while node.type == "redirected_statement" and (body := node.child_by_field_name("body")):
        node = body
    name = node.child_by_field_name("name") if node.type == "command" else None
    return get_text(name) if name else ""


def _has_substitution(node: "Node") -> bool:
    return "substitution" in node.type or any(map(_has_substitution, node.children))
