"""Evaluation of a parsed line: its commands in the order in which the shell runs them.

Each step has its folder, its words as far as they are known, the source of its input and the target
of its output. All branches are evaluated, and the body of every function.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from .branches import BranchEvaluator
from .builtins import find_fetched_file, read_written_files, update_state
from .known_outputs import get_known_output
from .redirections import KINDS as _REDIRECTS
from .redirections import read_redirections
from .shell_state import ShellState, Word
from .simple_command import NOTHING, Feed, Redirect, SimpleCommand
from .syntax_tree import ParseError, get_text, walk_nodes
from .word_values import Expander, as_written, group_words, is_sure

if TYPE_CHECKING:
    from tree_sitter import Node

# Most levels of nesting that are evaluated
MAX_DEPTH = 40

_PLAIN_LIST = """
program list pipeline command command_name redirected_statement file_redirect negated_command
file_descriptor word number string string_content raw_string ansi_c_string concatenation comment
test_command unary_expression binary_expression test_operator
"""
_PLAIN = frozenset(_PLAIN_LIST.split())
_READABLE = _PLAIN | {"subshell"}
_JOINTS = frozenset(["&&", "||", ";", "|", "|&", "\n", "!", "(", ")"])
_COMMANDS = ("command", "declaration_command", "unset_command", "test_command")
_DECLARE = ("export", "declare", "typeset", "local", "readonly")
# Reserved words of bash that the grammar reads as programs or tests in some places
_NO_PROGRAMS = ("time", "coproc", "let", "[[", *_DECLARE)
# Assignments before a command that change its output, not its effect. Other encodings do: in GBK
# the byte of a backslash may belong to the character before it.
_ONLY_WORDING = re.compile(
    r"(LC_(ALL|COLLATE|CTYPE|MESSAGES|NUMERIC|TIME)|LANG)=(POSIX|(C|[a-z]{2}_[A-Z]{2})\.(UTF-|utf)8|C|)"
    r"|NO_COLOR=1?|(GIT_)?PAGER=(cat)?"
)
_TEXT_NODES_LIST = """
word number string raw_string ansi_c_string translated_string concatenation simple_expansion
expansion command_substitution process_substitution arithmetic_expansion brace_expression regex
extglob_pattern variable_name special_variable_name subscript test_operator array
"""
# Words and strings: not commands, but they may contain commands
_TEXT_NODES = frozenset(_TEXT_NODES_LIST.split())


# The bodies of each function: which one is defined may depend on how the line runs
Functions = dict[str, list["Node"]]


@dataclass(frozen=True)
class _Position:
    """Context of a command in the line: its scope, input and redirections."""

    scope: ShellState
    feed: Feed = NOTHING
    redirects: tuple[Redirect, ...] = ()
    more: "tuple[list[Node], ...]" = ()
    """Words that belong to the command although they follow a redirection."""

    def without_redirects(self) -> "_Position":
        """Return the same context for all but the last of several commands."""
        return replace(self, redirects=(), more=())


class Evaluator:
    """Evaluates a tree into steps, and reports each step as soon as it is found.

    `found` gets a step, the scope that it may change, and the scope in which its program runs.
    """

    def __init__(
        self,
        on_command: Callable[[SimpleCommand, ShellState, ShellState], None],
        functions: "Functions",
        *,
        wrapped: bool,
    ) -> None:
        self.steps = list[SimpleCommand]()
        self.plain = True
        """Whether there are only literal commands and simple operators."""
        self.readable = True
        """As `plain`, but patterns, `$HOME`, `$PWD`, subshells and input files are allowed."""
        self.simple = True
        """As `readable`, but output files and here-documents are allowed."""
        self._functions = functions
        self._calls = list[str]()
        """The functions whose bodies are evaluated now."""
        self._on_command = on_command
        self._within = int(wrapped)
        self._in_substitution = 0
        self._depth = 0
        self._branches = BranchEvaluator()
        self._expander = Expander(self._evaluate_substitution)

    @property
    def is_repeating(self) -> bool:
        """Whether this place of the line was evaluated before, in another state."""
        return self._branches.repeats > 0

    def evaluate(self, root: "Node", scope: ShellState, feed: Feed = NOTHING) -> None:
        """Evaluate a whole tree whose commands read `feed`; raises ParseError if it is invalid."""
        self._evaluate_node(root, _Position(scope, feed))

    def _evaluate_node(self, node: "Node", here: _Position) -> Feed:
        """Add the steps of a node; return its output, if it is known."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ParseError("nested too deeply")
        self.plain = self.plain and node.type in _PLAIN
        self.readable = self.readable and node.type in _READABLE
        self.simple = self.simple and node.type in _READABLE
        output = self._dispatch_node(node, here)
        self._depth -= 1
        return output

    def _dispatch_node(self, node: "Node", here: _Position) -> Feed:
        if node.type in _COMMANDS:
            return self._evaluate_command(node, here)
        if node.type in _TEXT_NODES:
            self._expander.look_into(node, here.scope)
            return NOTHING
        match node.type:
            case "redirected_statement":
                return self._evaluate_redirected(node, here)
            case "pipeline":
                return self._evaluate_pipeline(node, here)
            case "variable_assignment":
                self._mark_not_plain()
                self._expander.assign_variable(node, here.scope)
                return NOTHING
            case "for_statement":
                self._expander.bind_loop_variable(node, here.scope)
            case "function_definition":
                return self._define_function(node, here)
            case "subshell":
                here = replace(here, scope=here.scope.copy())
            case _:
                pass
        return self._evaluate_children(node, here)

    def _evaluate_children(self, node: "Node", here: _Position) -> Feed:
        """Evaluate the children in order; redirections without a command become a step."""
        bound = node.children_by_field_name("value") if node.type == "for_statement" else []
        parts = [child for child in node.children if child.is_named and child not in bound]
        parts = [child for child in parts if child.type != "comment"]
        opened = [child for child in parts if child.type in _REDIRECTS]
        if opened:  # `$(< file)`: a redirection without a command
            here, _ = self._read_redirections(opened, here)
            parts = [child for child in parts if child.type not in _REDIRECTS]
        outputs = self._evaluate_parts(node, parts, here)
        if not all(child.is_named or child.type in _JOINTS for child in node.children):
            self._mark_not_plain()
        if here.redirects and not parts:
            self._add_command(
                SimpleCommand((), here.scope.folder, redirects=here.redirects),
                here.scope,
                here.scope,
            )
        programs = tuple(name for output in outputs for name in output.programs)
        return Feed(outputs[0].text if len(outputs) == 1 else None, programs)

    def _evaluate_parts(self, node: "Node", parts: "list[Node]", here: _Position) -> list[Feed]:
        """Return the children's outputs; redirections belong to the last one.

        The last one of a clause is evaluated by itself, too.
        """
        last = [part.id for end in parts[-1:] for part in (end, *end.named_children[-1:])]

        beside = [part.id for part, end in pairwise(node.children) if end.type == "&"]

        def evaluate_part(part: "Node") -> Feed:
            position = here if part.id in last else here.without_redirects()
            if part.id in beside:  # it runs in a subshell
                position = replace(position, scope=here.scope.copy())
            return self._evaluate_node(part, position)

        return self._branches.evaluate(node, parts, here.scope, evaluate_part)

    def _evaluate_pipeline(self, node: "Node", here: _Position) -> Feed:
        stages = [child for child in node.children if child.is_named]
        if any(stage.type == "negated_command" for stage in stages[1:]):
            self._mark_not_plain()
        feed, programs = here.feed, tuple[str, ...]()
        for stage in stages:
            place = here if stage is stages[-1] else here.without_redirects()
            feed = self._evaluate_node(stage, replace(place, scope=here.scope.copy(), feed=feed))
            programs += feed.programs
            feed = Feed(feed.text, programs)
        return feed

    def _evaluate_redirected(self, node: "Node", here: _Position) -> Feed:
        body = node.child_by_field_name("body")
        opened = [child for child in node.children if child != body]
        with_files, tails = self._read_redirections(opened, here)
        if with_files.more and (body is None or body.type not in _COMMANDS):
            self._mark_not_plain()
        if body is None:
            output = self._record_command([], with_files, here.scope)
        else:
            output = self._evaluate_node(body, with_files)
        for tail in tails:
            feed, scope = here.feed, here.scope
            if tail.type == "pipeline":
                feed, scope = output, scope.copy()
            output = self._evaluate_node(tail, _Position(scope, feed))
        return output

    def _read_redirections(
        self, nodes: "list[Node]", here: _Position
    ) -> "tuple[_Position, list[Node]]":
        """Read redirections; return the new context and the commands that follow them."""
        opened = read_redirections(nodes, here.feed, here.scope, self._expander)
        self.plain = self.plain and opened.plain
        self.readable = self.readable and opened.readable
        self.simple = self.simple and opened.simple
        redirects = (*here.redirects, *opened.redirects)
        more = (*here.more, *opened.more)
        return replace(here, feed=opened.feed, redirects=redirects, more=more), opened.tails

    def _evaluate_command(self, node: "Node", here: _Position) -> Feed:
        words, inner, before = list["Node"](), here.scope, here.scope.copy_whole()
        declares = node.type == "declaration_command"
        for child in _iter_leaves(node):
            if child.type in _REDIRECTS:
                here, _ = self._read_redirections([child], here)
            elif child.type != "variable_assignment" or declares:
                words.append(child)
            if child.type == "variable_assignment":
                if declares or not _ONLY_WORDING.fullmatch(get_text(child)):
                    self._mark_not_plain()
                inner = here.scope if declares else inner.copy()
                self._expander.assign_variable(child, inner)
        output = self._record_command(group_words(words), here, inner)
        if not declares and words and get_text(words[0]) in _DECLARE:
            _assign_words(group_words(words[1:]), here.scope)
        if declares and get_text(node.children[0]) == "local" and not self._branches.in_function:
            here.scope.resume([before, *here.scope.list_states()])  # elsewhere bash refuses it
        return output

    def _record_command(
        self, words: "list[list[Node]]", here: _Position, inner: ShellState
    ) -> Feed:
        """Add the step of a simple command and return its output."""
        before, expanded_words, written = len(self.steps), list[Word](), list[tuple[str, bool]]()
        for group in (*words, *here.more):
            written.append(as_written(group))
            exact = [Word(written[-1][0])] if written[-1][1] else None
            expanded_words += exact or self._expander.expand_word(group, here.scope)
            if not is_sure(group):
                self.readable = self.simple = False
        literal = all(is_literal for _, is_literal in written)
        if written and (written[0][0] in _NO_PROGRAMS or "=" in written[0][0]):
            self._mark_not_plain()
        self.plain = self.plain and literal
        substituted = tuple(step.program for step in self.steps[before:])
        step = SimpleCommand(
            words=tuple(expanded_words),
            folder=here.scope.folder,
            written=tuple(word for word, _ in written),
            literal=literal,
            redirects=here.redirects,
            feed=here.feed,
            inner=substituted,
            scripts=read_written_files(expanded_words, here.redirects, here.scope),
            fetched=find_fetched_file(expanded_words, here.scope),
            wrapped=self._within > 0,
            substituted=self._in_substitution > 0,
            left_in=here.scope.left_in,
        )
        self._add_command(step, here.scope, inner)
        printed = get_known_output(step.words, here.feed.text, here.scope)
        update_state(step, here.scope, printed)
        if step.program in self._functions:
            self._call_function(step, here)
        to_file = any(redirect.writes for redirect in here.redirects)
        return Feed(None if to_file else printed, (step.program, *substituted))

    def _evaluate_substitution(self, node: "Node", scope: ShellState) -> Feed:
        self._mark_not_plain()
        self._within += 1
        self._in_substitution += 1
        output = self._evaluate_children(node, _Position(scope.copy()))
        self._within -= 1
        self._in_substitution -= 1
        return output

    def _define_function(self, node: "Node", here: _Position) -> Feed:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            raise ParseError("a function has no name or no body")
        self._functions.setdefault(get_text(name), []).append(body)
        inside = _Position(here.scope.copy())
        inside.scope.forget_arguments()
        opened = [child for child in node.children if child.type in _REDIRECTS]
        self._in_substitution += 1  # the output goes where the function is called
        with self._branches.enter_function(inside.scope):
            self._evaluate_node(body, self._read_redirections(opened, inside)[0])
        self._in_substitution -= 1
        return NOTHING

    def _call_function(self, step: SimpleCommand, here: _Position) -> None:
        """Evaluate the bodies of a function in the state of its call, with its arguments."""
        scope, before, after = here.scope, here.scope.copy_whole(), list[ShellState]()
        if step.program in self._calls:  # a recursion may lead anywhere
            scope.change_folder(None)
            return
        self._calls.append(step.program)
        self._in_substitution += 1  # as in `_define_function`
        for body in self._functions[step.program]:
            scope.resume([before])
            scope.set_arguments(step.words[1:])
            with self._branches.enter_function(scope), self._branches.repeat():
                self._evaluate_node(body, _Position(scope, here.feed))
            for state in scope.list_states():
                after += state.end_call(before, _find_local_names(body))
        self._in_substitution -= 1
        self._calls.pop()
        scope.resume(after)

    def _add_command(self, step: SimpleCommand, scope: ShellState, inner: ShellState) -> None:
        self.steps.append(step)
        self._on_command(step, scope, inner)

    def _mark_not_plain(self) -> None:
        """Mark the line: no rule of the user can allow it by its text alone."""
        self.plain = self.readable = self.simple = False


def _assign_words(words: "list[list[Node]]", scope: ShellState) -> None:
    """Assign as `! export NAME=VALUE` does, in which the grammar sees only words."""
    for written, is_literal in map(as_written, words):
        name, _, value = written.partition("=")
        if name.isidentifier() and "=" in written:
            scope.variables[name] = (value,) if is_literal else None


def _find_local_names(body: "Node") -> set[str]:
    """Return the variables that are local to a function, or perhaps: `declare` has options."""
    declared = [node for node in walk_nodes(body) if node.type == "declaration_command"]
    words = [
        child.child_by_field_name("name") or child
        for node in declared
        if get_text(node.children[0]) in ("local", "declare", "typeset")
        for child in node.children[1:]
    ]
    return {get_text(word) for word in words}


def _iter_leaves(node: "Node") -> "Iterator[Node]":
    """Yield a command's words, assignments and redirections; in brackets the parts of the test."""
    for child in node.children:
        if child.type == "command_name" or child.type.endswith("_expression"):
            yield from _iter_leaves(child)
        elif child.type != "comment":
            yield child
