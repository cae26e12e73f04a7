"""Commands of which not all run: each is evaluated in every state that the shell may be in."""

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .shell_state import ShellState
from .simple_command import Feed
from .syntax_tree import ParseError, get_text, walk_nodes

if TYPE_CHECKING:
    from tree_sitter import Node

Evaluate = Callable[["Node"], Feed]

_CHANGES_FOLDER = ("cd", "pushd")
_ASSIGNMENTS = ("variable_assignment", "variable_assignments")
_LOOPS = ("for_statement", "c_style_for_statement", "while_statement")
# Most values of a loop's variable of which each is told apart
MAX_ROUNDS = 4
# Most parts of a line that are evaluated, each time counted
MAX_PARTS = 1_000
_EXIT = re.compile(r"exit(\s+(\d+|\$\?))?")


@dataclass(frozen=True)
class Outcome:
    """The states after a command that succeeded, and after one that failed."""

    success: Sequence[ShellState] = ()
    failure: Sequence[ShellState] = ()

    def join(self, right: "Outcome", *, is_and: bool) -> "Outcome":
        """Return that of `A && B`, or of `A || B`, where B has the right outcome."""
        if is_and:
            return Outcome(right.success, (*self.failure, *right.failure))
        return Outcome((*self.success, *right.success), right.failure)


def read_outcome(node: "Node", scope: ShellState) -> Outcome:
    """Return the outcome of a command that left the shell in these states."""
    success = scope.list_states()
    if _find_name(node) in _CHANGES_FOLDER:
        for state in success:
            state.left_in = None
    is_sure = node.type in _ASSIGNMENTS and not _has_substitution(node)
    return Outcome(success, () if is_sure else (*scope.list_states(), *list_ends(node, scope)))


def list_ends(node: "Node", scope: ShellState) -> list[ShellState]:
    """Return the states after a `read` at the end of its input: its variables are empty."""
    commands = (command for command in walk_nodes(node) if command.type == "command")
    reads = [command for command in commands if _find_name(command) == "read"]
    names = [get_text(child) for command in reads for child in command.children]
    states = scope.list_states() if reads else []
    for state in states:
        state.variables |= dict.fromkeys(filter(str.isidentifier, names), ("",))
    return states


def split_rounds(
    states: Sequence[ShellState], variable: str, values: Sequence[str] | None
) -> Sequence[ShellState]:
    """Return a state for each value of a loop's variable; these, if it has none or many."""
    if values is None or len(values) > MAX_ROUNDS:
        return states
    rounds = [(state.copy_whole(), value) for state in states for value in values]
    for state, value in rounds:
        state.variables[variable] = (value,)
    return [state for state, _ in rounds]


class BranchEvaluator:
    """Evaluates the parts of a node by a function that evaluates one part in one state."""

    def __init__(self) -> None:
        self._outcome = (0, Outcome())
        """Of the last list, by the number of its node."""
        self._left_loops = list[list[ShellState]]()
        """For each loop around: the states in which `break` and `continue` leave its body."""
        self._returned: list[ShellState] = []
        """The states in which `return` leaves the function around."""
        self.repeats = 0
        """How often what is evaluated now was evaluated before, in other states or rounds."""
        self.in_function = False
        """Whether the body of a function is evaluated."""
        self._parts = 0
        """How many were evaluated."""

    @contextmanager
    def enter_function(self, scope: ShellState) -> Generator[None]:
        """Evaluate the body of a function; then the scope has also the states at a `return`."""
        outside = (self.in_function, self._left_loops, self._returned)
        self.in_function, self._left_loops, self._returned = True, [], []
        yield
        scope.resume([*scope.list_states(), *self._returned])
        self.in_function, self._left_loops, self._returned = outside

    @contextmanager
    def repeat(self) -> Generator[None]:
        """Evaluate what was evaluated before, such as a function's body at its call."""
        self.repeats += 1
        yield
        self.repeats -= 1

    def evaluate(
        self, node: "Node", parts: "list[Node]", scope: ShellState, evaluate: Evaluate
    ) -> list[Feed]:
        """Return the outputs of a node's parts; then the scope has every state that is possible."""
        match node.type:
            case "list":
                return self._evaluate_list(node, parts, scope, evaluate)
            case "if_statement":
                return self._evaluate_if(node, parts, scope, evaluate)
            case "case_statement":
                return self._evaluate_case(parts, scope, evaluate)
            case kind if kind in _LOOPS:
                return self._evaluate_loop(node, parts, scope, evaluate)
            case _:
                return [self._evaluate_part(part, scope, evaluate) for part in parts]

    def _evaluate_part(self, part: "Node", scope: ShellState, evaluate: Evaluate) -> Feed:
        """Evaluate a part in each possible state; raises ParseError for a line with too many."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise ParseError("too many commands may run in too many ways")
        if self.in_function and _find_name(part) == "return":
            self._returned += scope.list_states()
        if not scope.others:
            return evaluate(part)
        after, outputs, repeats = list[ShellState](), list[Feed](), self.repeats
        for state in scope.list_states():
            scope.resume([state])
            outputs.append(evaluate(part))
            after += scope.list_states()
            self.repeats += 1
        self.repeats = repeats
        scope.resume(after)
        texts = {output.text for output in outputs}
        programs = dict.fromkeys(name for output in outputs for name in output.programs)
        return Feed(texts.pop() if len(texts) == 1 else None, tuple(programs))

    def _evaluate_branch(
        self, parts: "list[Node]", scope: ShellState, evaluate: Evaluate
    ) -> tuple[list[Feed], list[ShellState]]:
        """Return the outputs of parts that may not run, and the states after them."""
        outputs = [self._evaluate_part(part, scope, evaluate) for part in parts]
        return outputs, self._list_ends(parts[-1], scope) if parts else scope.list_states()

    def _list_ends(self, last: "Node", scope: ShellState) -> list[ShellState]:
        """Return the states after a branch, none if it leaves the shell or the loop."""
        end = _find_end(last, in_loop=bool(self._left_loops), in_function=self.in_function)
        if end == "loop":
            self._left_loops[-1] += scope.list_states()
        return [] if end else scope.list_states()

    def _evaluate_if(
        self, node: "Node", parts: "list[Node]", scope: ShellState, evaluate: Evaluate
    ) -> list[Feed]:
        outputs, after, before = list[Feed](), list[ShellState](), list[ShellState]()
        condition, body = _split_condition(node, parts)
        clauses = [part for part in body if part.type in ("elif_clause", "else_clause")]
        body = [part for part in body if part not in clauses]
        for clause in (*clauses, None):
            outputs += [self._evaluate_part(part, scope, evaluate) for part in condition]
            before = scope.list_states()
            printed, states = self._evaluate_branch(body, scope, evaluate)
            outputs, after = [*outputs, *printed], [*after, *states]
            if clause:
                scope.resume(before)
                children = [child for child in clause.named_children if child.type != "comment"]
                condition, body = _split_condition(clause, children)
        is_complete = any(clause.type == "else_clause" for clause in clauses)
        scope.resume([*after, *([] if is_complete else before)])
        return outputs

    def _evaluate_case(
        self, parts: "list[Node]", scope: ShellState, evaluate: Evaluate
    ) -> list[Feed]:
        items = [part for part in parts if part.type == "case_item"]
        outputs = [
            self._evaluate_part(part, scope, evaluate) for part in parts if part not in items
        ]
        before, after, fallen = scope.list_states(), list[ShellState](), list[ShellState]()
        for item in items:
            scope.resume([*before, *fallen])
            printed, states = self._evaluate_branch([item], scope, evaluate)
            outputs, after = [*outputs, *printed], [*after, *states]
            fallen = states if _falls_through(item) else []
        scope.resume([*after, *([] if any(map(_takes_anything, items)) else before)])
        return outputs

    def _evaluate_loop(
        self, node: "Node", parts: "list[Node]", scope: ShellState, evaluate: Evaluate
    ) -> list[Feed]:
        """Evaluate the body twice: what its first round changes, the second one reads."""
        body = [part for part in parts if part.type == "do_group"]
        name = node.child_by_field_name("variable") if node.type == "for_statement" else None
        outputs = [self._evaluate_part(part, scope, evaluate) for part in parts if part not in body]
        variable = get_text(name) if name else ""
        values, after = scope.variables.get(variable), scope.list_states()
        conditions = [part for part in parts if part not in body and not variable]
        repeats = self.repeats
        for number in range(2):
            self.repeats = repeats + number
            self._left_loops.append([])
            scope.resume(split_rounds(after, variable, values))
            outputs += [self._evaluate_part(part, scope, evaluate) for part in body]
            after += [*scope.list_states(), *self._left_loops.pop()]
            for state in after if variable else ():
                state.variables[variable] = values
        self.repeats = repeats
        scope.resume(after)
        scope.resume([*after, *(end for part in conditions for end in list_ends(part, scope))])
        return outputs

    def _evaluate_list(
        self, node: "Node", parts: "list[Node]", scope: ShellState, evaluate: Evaluate
    ) -> list[Feed]:
        """Evaluate `A && B` or `A || B`: B runs in the states in which A ends so."""
        is_and = any(child.type == "&&" for child in node.children)
        outputs = [self._evaluate_part(parts[0], scope, evaluate)]
        outcome = self._find_outcome(parts[0], scope)
        for part in parts[1:]:
            scope.resume(outcome.success if is_and else outcome.failure)
            outputs.append(self._evaluate_part(part, scope, evaluate))
            outcome = outcome.join(self._find_outcome(part, scope), is_and=is_and)
        scope.resume([*outcome.failure, *outcome.success])
        self._outcome = (node.id, outcome)
        return outputs

    def _find_outcome(self, node: "Node", scope: ShellState) -> Outcome:
        """Return the states in which a node that was just evaluated succeeds and fails."""
        number, outcome = self._outcome
        if number == node.id:
            return outcome
        return read_outcome(node, scope) if self._list_ends(node, scope) else Outcome()


def _find_end(node: "Node", *, in_loop: bool, in_function: bool) -> str:
    """Return `exit` if nothing that follows runs, `loop` if the loop ends; else empty.

    Elsewhere than in a loop and a function, bash goes on after `break` and `return`.
    """
    while node.type in ("compound_statement", "case_item", "else_clause"):
        if not node.named_children:
            return ""
        node = node.named_children[-1]
    name = _find_name(node)
    if name == "exit" and _EXIT.fullmatch(get_text(node).strip()):
        return "exit"
    if name == "return" and in_function:
        return "exit"
    return "loop" if name in ("break", "continue") and in_loop else ""


def _falls_through(item: "Node") -> bool:
    """Return whether the next item of a `case` may run after this one: `;&` and `;;&`."""
    return any(child.type in (";&", ";;&") for child in item.children)


def _takes_anything(item: "Node") -> bool:
    """Return whether an item of a `case` runs if no earlier one has run."""
    return any(get_text(value) == "*" for value in item.children_by_field_name("value"))


def _split_condition(node: "Node", parts: "list[Node]") -> "tuple[list[Node], list[Node]]":
    """Split the parts of `if`, `elif` and `else` into the condition and what follows."""
    then = next((child.start_byte for child in node.children if child.type == "then"), 0)
    condition = [part for part in parts if part.start_byte < then]
    return condition, [part for part in parts if part not in condition]


def _find_name(node: "Node") -> str:
    """Return the name of the program of a simple command, behind redirections too."""
    while node.type == "redirected_statement" and (body := node.child_by_field_name("body")):
        node = body
    name = node.child_by_field_name("name") if node.type == "command" else None
    return get_text(name) if name else ""


def _has_substitution(node: "Node") -> bool:
    return "substitution" in node.type or any(map(_has_substitution, node.children))
