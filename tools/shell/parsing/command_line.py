"""A parsed command line with the commands that it runs indirectly."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ....config.text import text
from .builtins import update_state
from .evaluator import Evaluator, Functions
from .inline_code import find_lines_in_code
from .parser import MAX_COMMANDS, join_continuations, parse_line
from .shell_state import ShellState, Word
from .simple_command import NOTHING, Feed, SimpleCommand
from .syntax_tree import (
    LineTooLargeError,
    ParseError,
    get_text,
    parse_tree,
    sanitize_source,
    walk_nodes,
)
from .wrappers import InnerCommand, unwrap

if TYPE_CHECKING:
    from tree_sitter import Node

# Most levels of commands within commands that are parsed
_MAX_DEPTH = 6
_MAX_STEPS = 8 * MAX_COMMANDS
_RUNNING_VARIABLE = re.compile(
    r"\w*(PAGER|EDITOR|VISUAL|_COMMAND|ASKPASS|BROWSER|EXTERNAL_DIFF|LESSOPEN|LESSCLOSE|_WRAPPER)"
    r"|GIT_CONFIG_VALUE_\d+|GIT_CONFIG_PARAMETERS|LESS|MORE"
)
# What decides which configuration and which programs git uses
_GIT_VARIABLE = re.compile(r"GIT_\w+|HOME|XDG_CONFIG_HOME|PAGER|EDITOR|VISUAL|SSH_ASKPASS|LESS\w+")
# `{rm,-rf,x}`: bash reads a command of three words, the grammar reads nothing
_BRACES_FIRST = re.compile(r"(^|[;&|\n(]\s*)\{([^\s{},]+(?:,[^\s{},]*)+)\}")
# `ls == x; rm y }`: bash reads two commands, the grammar reads one with a pattern
_COMPARES = re.compile(r"(?<=\s)(?:[=!]=|=~)(?=\s)")


class CommandLine:
    """A parsed line: its steps and its properties."""

    def __init__(self, command: str, scope: ShellState, depth: int = 0) -> None:
        self.steps = list[SimpleCommand]()
        self.doubt = ""
        """Why the meaning of the line is uncertain; empty if it is certain."""
        self.bomb = False
        self.plain = self.readable = self.simple = True
        self._given_up = False
        self._functions: Functions = {}
        self._traps = list[str]()
        self._is_ending = False
        """Whether the traps of the whole line are evaluated."""
        self._readers = list[Evaluator]()
        """Those of the line and of the lines within it that are being read."""
        own = scope.copy()
        first = self._read_source(command, own, depth)
        if self._given_up:
            return
        self._read_traps(own, depth)
        for variant in (_BRACES_FIRST.sub(_split_braces, command), _COMPARES.sub("=", command)):
            if self.doubt and variant != command:
                self._read_source(variant, scope.copy(), depth)
        if (whole := join_continuations(command)) != command:
            before = len(self.steps)
            if _list_words(first) == _list_words(self._read_source(whole, scope.copy(), depth)):
                del self.steps[before:]
            else:
                self.plain = self.readable = self.simple = False

    def _read_source(
        self, source: str, scope: ShellState, depth: int, feed: Feed = NOTHING
    ) -> list[SimpleCommand]:
        """Parse a line into steps; return the steps of the line itself."""
        reader = Evaluator(
            lambda step, own, inner: self._add_command(step, own, inner, depth),
            self._functions,
            wrapped=depth > 0,
        )
        self._readers.append(reader)
        try:
            if depth > _MAX_DEPTH:
                raise ParseError("too many commands run other commands")
            try:
                root = parse_line(source)
            except LineTooLargeError:
                self._given_up = True
                raise
            except ParseError as doubt:  # the part that can be parsed may still be denied
                self.doubt = self.doubt or str(doubt)
                root = parse_tree(sanitize_source(source))
            reader.evaluate(root, scope, feed)
        except ParseError as doubt:
            self.doubt = self.doubt or str(doubt)
        self._readers.pop()
        self.bomb = self.bomb or any(
            is_fork_bomb(name, body) for name, bodies in self._functions.items() for body in bodies
        )
        self.plain = self.plain and reader.plain
        self.readable = self.readable and reader.readable
        self.simple = self.simple and reader.simple
        return reader.steps

    def _read_traps(self, scope: ShellState, depth: int) -> None:
        """Read what `trap` runs later in the states after the whole line."""
        self._is_ending = True
        for line in self._traps:
            for state in scope.list_states():
                self._read_source(line, state, depth + 1)
        self._is_ending = False

    def _add_command(
        self, step: SimpleCommand, own: ShellState, inner: ShellState, depth: int
    ) -> None:
        if len(self.steps) >= _MAX_STEPS:
            raise ParseError(text("more than {most_commands} commands", most_commands=MAX_COMMANDS))
        step = replace(step, environment=_list_git_variables(inner))
        is_repeated = self._is_ending or any(reader.is_repeating for reader in self._readers)
        if not is_repeated or step not in self.steps:
            self.steps.append(step)
        before = own.copy_whole()
        for inner_command in unwrap(step):
            self.plain = self.simple = False
            # whether `xargs` only reads the files that `find` prints is checked later
            is_fed = step.program == "xargs" and step.feed.programs == ("find",)
            self.readable = self.readable and is_fed
            self._read_inner(
                inner_command, step, own if inner_command.same_shell else inner.copy(), depth
            )
        if step.program == "trap":
            is_last = all(word.text in ("EXIT", "0") for word in step.words[2:])
            own.resume([before] if is_last else [before, *own.list_states()])
        for content in (*find_lines_in_code(step), *_find_variable_commands(own, inner)):
            if depth >= _MAX_DEPTH:
                break
            guessed = CommandLine(content, inner, depth + 1)  # ignored if not a command line
            self.steps += [inner_step.to_code_guess() for inner_step in guessed.steps]

    def _read_inner(
        self, inner: InnerCommand, step: SimpleCommand, scope: ShellState, depth: int
    ) -> None:
        if inner.folder:
            scope.change_folder(inner.folder)
        for word in inner.variables:
            name, _, value = word.text.partition("=")
            scope.variables[name] = (value,) if word.known else None
        if inner.arguments is not None:
            name, *arguments = inner.arguments or (Word("/bin/bash"),)
            scope.set_arguments(arguments)
            scope.variables["0"] = (name.text,) if name.known else None
        if inner.line and step.program == "trap" and not self._is_ending:
            self._traps.append(inner.line)
        if inner.line:
            self._read_source(inner.line, scope, depth + 1, step.feed if inner.fed else NOTHING)
        elif depth > _MAX_DEPTH:
            raise ParseError("too many commands run other commands")
        elif inner.words:
            inner_step = step.to_inner_command(inner.words, scope.folder)
            self._add_command(inner_step, scope, scope, depth + 1)
            update_state(inner_step, scope, None)


def _find_variable_commands(own: ShellState, inner: ShellState) -> list[str]:
    """Return lines in variables set for one program, which programs run: `PAGER=… git log`."""
    names = [name for name in inner.variables if _RUNNING_VARIABLE.fullmatch(name)]
    texts = (text for name in names for text in inner.variables[name] or ())
    return [text.lstrip("!|+") for text in texts if " " in text]


def _list_git_variables(state: ShellState) -> tuple[tuple[str, str | None], ...]:
    names = [name for name in state.variables if _GIT_VARIABLE.fullmatch(name)]
    return tuple(
        (name, value) for name in sorted(names) for value in state.variables[name] or (None,)
    )


def _split_braces(match: re.Match[str]) -> str:
    return match[1] + match[2].replace(",", " ")


def _list_words(steps: list[SimpleCommand]) -> list[tuple[str, ...]]:
    return [step.written for step in steps]


def is_fork_bomb(name: str, body: "Node") -> bool:
    """Return whether a function calls itself twice, or once in the background."""
    nodes = list(walk_nodes(body))
    calls = sum(node.type == "command_name" and get_text(node) in (name, "$0") for node in nodes)
    beside = any(node.type in ("|", "&", "|&") for node in nodes)
    return calls > 1 and beside or calls > 0 and any(node.type == "&" for node in nodes)
