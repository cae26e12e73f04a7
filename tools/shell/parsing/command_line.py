"""A command line read whole: its steps, and those inside of what it runs in turn."""

import re

from .builtins import take_effect
from .evaluator import Reader
from .fork_bomb import is_fork_bomb
from .inline_code import lines_in_code
from .parser import MOST_COMMANDS, joined, parse
from .shell_state import Scope
from .simple_command import NOTHING, Feed, Step
from .syntax_tree import TooMuch, Unparsed, harmless, tree
from .wrappers import Inner, unwrap

_DEEPEST = 6
"""Commands within commands that are followed."""
_MOST_STEPS = 4 * MOST_COMMANDS
_RUNNING_VARIABLE = re.compile(
    r"\w*(PAGER|EDITOR|VISUAL|_COMMAND|ASKPASS|BROWSER|EXTERNAL_DIFF|LESSOPEN)"
)
_BRACES_FIRST = re.compile(r"(^|[;&|\n(]\s*)\{([^\s{},]+(?:,[^\s{},]*)+)\}")
"""`{rm,-rf,x}`: to bash a command of three words, to the grammar nothing at all."""
_COMPARES = re.compile(r"(?<=\s)(?:[=!]=|=~)(?=\s)")
"""`ls == x; rm y }`: to bash two commands, to the grammar one with a pattern."""


class Line:
    """What is known of a line: every step of it, and what kind of line it is."""

    def __init__(self, command: str, scope: Scope, depth: int = 0) -> None:
        self.steps = list[Step]()
        self.doubt = ""
        """Why nobody can be sure of the line; empty when all is clear."""
        self.bomb = False
        self.plain = self.readable = self.simple = True
        self._given_up = False
        first = self._read(command, scope.copy(), depth)
        if self._given_up:
            return
        for meant in (_BRACES_FIRST.sub(_spread, command), _COMPARES.sub("=", command)):
            if self.doubt and meant != command:
                self._read(meant, scope.copy(), depth)
        if (whole := joined(command)) != command:
            before = len(self.steps)
            if _words(first) == _words(self._read(whole, scope.copy(), depth)):
                del self.steps[before:]
            else:
                self.plain = self.readable = self.simple = False

    def _read(self, source: str, scope: Scope, depth: int, feed: Feed = NOTHING) -> list[Step]:
        """Read a line into steps; those of the line itself are given back."""
        reader = Reader(
            lambda step, own, inner: self._add(step, own, inner, depth), wrapped=depth > 0
        )
        try:
            if depth > _DEEPEST:
                raise Unparsed("commands run commands too deeply in the line")
            try:
                root = parse(source)
            except TooMuch:
                self._given_up = True
                raise
            except Unparsed as doubt:  # what can be read of it may still be refused
                self.doubt = self.doubt or str(doubt)
                root = tree(harmless(source))
            reader.read(root, scope, feed)
        except Unparsed as doubt:
            self.doubt = self.doubt or str(doubt)
        self.bomb = self.bomb or any(is_fork_bomb(*one) for one in reader.functions.items())
        self.plain = self.plain and reader.plain
        self.readable = self.readable and reader.readable
        self.simple = self.simple and reader.simple
        return reader.steps

    def _add(self, step: Step, own: Scope, inner: Scope, depth: int) -> None:
        if len(self.steps) >= _MOST_STEPS:
            raise Unparsed(f"the line runs more than {MOST_COMMANDS} commands")
        self.steps.append(step)
        for one in unwrap(step):
            self.plain = self.simple = False
            # what `find` prints is looked for where it is judged whether `xargs` only reads
            is_fed = step.program == "xargs" and step.feed.programs == ("find",)
            self.readable = self.readable and is_fed
            self._unwrap(one, step, own if one.same_shell else inner.copy(), depth)
        for text in (*lines_in_code(step), *_run_by_variables(own, inner)):
            if depth >= _DEEPEST:
                break
            guessed = Line(text, inner, depth + 1)  # what is no command line says nothing
            self.steps += [one.in_code() for one in guessed.steps]

    def _unwrap(self, inner: Inner, step: Step, scope: Scope, depth: int) -> None:
        if inner.folder:
            scope.enter(inner.folder)
        if inner.arguments:
            scope.give(inner.arguments)
        if inner.line:
            self._read(inner.line, scope, depth + 1, step.feed if inner.fed else NOTHING)
        elif depth > _DEEPEST:
            raise Unparsed("commands run commands too deeply in the line")
        elif inner.words:
            one = step.inside(inner.words, scope.folder)
            self._add(one, scope, scope, depth + 1)
            take_effect(one, scope, None)


def _run_by_variables(own: Scope, inner: Scope) -> list[str]:
    """Lines in variables that are set for one program, which programs run: `PAGER=… git log`."""
    if inner is own:
        return []
    names = [name for name in inner.variables if _RUNNING_VARIABLE.fullmatch(name)]
    return [text for name in names for text in inner.variables[name] or () if " " in text]


def _spread(found: re.Match[str]) -> str:
    return found[1] + found[2].replace(",", " ")


def _words(steps: list[Step]) -> list[tuple[str, ...]]:
    return [step.written for step in steps]
