"""A command line read whole: its steps, and those inside of what it runs in turn."""

from pathlib import Path

from .catastrophe import lines_in_code
from .fork_bomb import is_fork_bomb
from .named import is_interpreter
from .parse import MOST_COMMANDS, Unparsed, joined, parse, tree
from .scope import Scope
from .steps import Reader, Step, change_folder
from .wrappers import Inner, unwrap

_DEEPEST = 6
"""Commands within commands that are followed."""


class Line:
    """What is known of a line: every step of it, and what kind of line it is."""

    def __init__(self, command: str, folder: Path, root: Path) -> None:
        self.steps = list[Step]()
        self.doubt = ""
        """Why nobody can be sure of the line; empty when all is clear."""
        self.bomb = False
        self.plain = self.readable = True
        outer = self._read(command, Scope(root, folder), 0)
        whole = joined(command)
        if whole != command:
            same = self._read(whole, Scope(root, folder), 0)
            self.plain = self.plain and _words(outer) == _words(same)
            self.readable = self.readable and self.plain

    def _read(self, source: str, scope: Scope, depth: int) -> list[Step]:
        """Read a line into steps; those of the line itself are given back."""
        if depth > _DEEPEST:
            raise Unparsed("commands run commands too deeply in the line")
        try:
            root = parse(source)
        except Unparsed as doubt:
            self.doubt = self.doubt or str(doubt)
            root = tree(source)

        def found(step: Step, own: Scope, inner: Scope) -> None:
            self._add(step, own, inner, depth)

        reader = Reader(found, wrapped=depth > 0)
        reader.read(root, scope)
        self.bomb = self.bomb or any(is_fork_bomb(*one) for one in reader.functions.items())
        self.plain = self.plain and reader.plain
        self.readable = self.readable and reader.readable
        return reader.steps

    def _add(self, step: Step, own: Scope, inner: Scope, depth: int) -> None:
        self.steps.append(step)
        if len(self.steps) > 4 * MOST_COMMANDS:
            raise Unparsed(f"the line runs more than {MOST_COMMANDS} commands")
        for one in unwrap(step):
            self.plain = self.readable = False
            self._unwrap(one, step, own if one.same_shell else inner.copy(), depth)
        if is_interpreter(step.program):
            for text in lines_in_code(step):
                self._code(text, inner.copy(), depth)

    def _unwrap(self, inner: Inner, step: Step, scope: Scope, depth: int) -> None:
        if depth >= _DEEPEST:
            raise Unparsed("commands run commands too deeply in the line")
        if inner.line:
            self._read(inner.line, scope, depth + 1)
        elif inner.words:
            words = tuple(word.text for word in inner.words)
            known = all(word.known for word in inner.words)
            one = Step(
                inner.words, scope.folder, words, known, (), step.feed, step.inner, wrapped=True
            )
            self._add(one, scope, scope, depth + 1)
            change_folder(one, scope)

    def _code(self, text: str, scope: Scope, depth: int) -> None:
        """A text in code may be a command line; what is no such line says nothing."""
        line = Line(text, scope.folder or Path("/"), scope.root) if depth < _DEEPEST else None
        for step in line.steps if line else ():
            self.steps.append(step.in_code())


def _words(steps: list[Step]) -> list[tuple[str, ...]]:
    return [step.written for step in steps]
