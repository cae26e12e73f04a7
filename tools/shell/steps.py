"""The commands of a line in the order in which the shell would come to them.

Each step knows the folder it runs in, its words as far as they can be known, where its input comes
from and where its output goes. Both sides of every branch count, and every function's body.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .outputs import known_output
from .parse import Unparsed, text
from .scope import Scope, Word, expand
from .words import Piece, literal, pieces

if TYPE_CHECKING:
    from tree_sitter import Node

DEEPEST = 50
"""Levels of nesting that are followed."""

_PLAIN = frozenset(
    """
    program list pipeline command command_name redirected_statement file_redirect negated_command
    file_descriptor word number string string_content raw_string ansi_c_string concatenation comment
    test_command unary_expression binary_expression test_operator
    """.split()
)
_READABLE = frozenset(["subshell", "simple_expansion", "expansion", "variable_name"])
_JOINTS = frozenset(["&&", "||", ";", "|", "|&", "\n", "!", "(", ")"])
_DECLARED = frozenset(["export", "declare", "typeset", "local", "readonly"])
_WORDS = frozenset(
    """
    word number string raw_string ansi_c_string translated_string concatenation simple_expansion
    expansion command_substitution process_substitution arithmetic_expansion brace_expression regex
    extglob_pattern variable_name special_variable_name subscript test_operator
    """.split()
)
_TEXTS = ("heredoc_body", "arithmetic_expansion", "expansion", "array", "subscript")


@dataclass(frozen=True)
class Feed:
    """What comes out of a command: its text where that is known, and the programs that made it."""

    text: str | None = None
    programs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Redirect:
    """A file that a command's input or output is bound to."""

    operator: str
    target: Word

    @property
    def writes(self) -> bool:
        """Whether it makes, cuts or lengthens a file; `2>&1` does not."""
        to_descriptor = self.operator == ">&" and (
            self.target.text.isdigit() or self.target.text in ("-", "")
        )
        return ">" in self.operator and not to_descriptor


@dataclass(frozen=True)
class Step:
    """One command of the line, or a redirection that stands alone."""

    words: tuple[Word, ...]
    folder: Path | None
    """Where it runs; None where only a run would tell."""
    written: tuple[str, ...] = ()
    """The words as they are judged by the user's rules: literal ones resolved, others as written."""
    literal: bool = True
    redirects: tuple[Redirect, ...] = ()
    feed: Feed = Feed()
    """What stands on its input."""
    inner: tuple[str, ...] = ()
    """The programs of the substitutions in its words."""
    wrapped: bool = False
    tested: bool = False
    """Whether it is a test in brackets, which only looks."""
    code: bool = False
    """Whether it was only guessed from a text in a program's code."""

    def in_code(self) -> "Step":
        """The same step as a guess from code."""
        return replace(self, code=True, wrapped=True)

    @property
    def program(self) -> str:
        """The program's own name, without the folders before it."""
        if not self.words:
            return ""
        first = self.words[0]
        return (first.text if first.known else first.rest).rstrip("/").rsplit("/", 1)[-1]


class Reader:
    """Reads a tree into steps, and tells each as soon as it is found.

    `found` gets a step, the scope that it may change, and the scope in which its program runs.
    """

    def __init__(self, found: Callable[[Step, Scope, Scope], None], *, wrapped: bool) -> None:
        self.steps = list[Step]()
        self.plain = True
        """Nothing but literal commands and simple joints."""
        self.readable = True
        """The same, but for patterns and known variables, subshells and files to read."""
        self._found = found
        self.functions = dict[str, "Node"]()
        self._wrapped = int(wrapped)
        self._depth = 0

    def read(
        self,
        node: "Node",
        scope: Scope,
        feed: Feed = Feed(),
        redirects: Sequence[Redirect] = (),
        more: "Sequence[Sequence[Node]]" = (),
    ) -> Feed:
        """Add the steps of a node; the output is what it would print, where that is known.

        `redirects` and `more` words belong to the command that the node ends with.
        """
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unparsed("the line is nested too deeply")
        self.plain = self.plain and node.type in _PLAIN
        self.readable = self.readable and node.type in _PLAIN | _READABLE
        try:
            return self._dispatch(node, scope, feed, redirects, more)
        finally:
            self._depth -= 1

    def _dispatch(
        self,
        node: "Node",
        scope: Scope,
        feed: Feed,
        redirects: Sequence[Redirect],
        more: "Sequence[Sequence[Node]]",
    ) -> Feed:
        match node.type:
            case "command" | "declaration_command" | "unset_command" | "test_command":
                return self._command(node, scope, feed, redirects, more)
            case "redirected_statement":
                return self._redirected(node, scope, feed)
            case "pipeline":
                return self._pipeline(node, scope, feed, redirects, more)
            case "variable_assignment":
                self._is_odd()
                self._assign(node, scope)
                return Feed()
            case "for_statement":
                self._bind(node, scope)
            case "function_definition":
                self._define(node, scope)
                return Feed()
            case kind if kind in _WORDS or kind in _TEXTS:
                self._values([Piece("", False, node)], scope)
                return Feed()
            case "subshell":
                scope = scope.copy()
            case _:
                pass
        return self._all(node, scope, feed, redirects, more)

    def _all(
        self,
        node: "Node",
        scope: Scope,
        feed: Feed,
        redirects: Sequence[Redirect],
        more: "Sequence[Sequence[Node]]",
    ) -> Feed:
        """The children one after the other; what follows the node follows the last."""
        parts = [child for child in node.children if child.is_named and child.type != "comment"]
        outputs = [
            self.read(child, scope, feed, *((redirects, more) if child is parts[-1] else ()))
            for child in parts
        ]
        if not all(child.is_named or child.type in _JOINTS for child in node.children):
            self._is_odd()
        if redirects and not parts:
            self._stand_alone(redirects, scope)
        programs = tuple(name for output in outputs for name in output.programs)
        return Feed(outputs[0].text if len(outputs) == 1 else None, programs)

    def _pipeline(
        self,
        node: "Node",
        scope: Scope,
        feed: Feed,
        redirects: Sequence[Redirect],
        more: "Sequence[Sequence[Node]]",
    ) -> Feed:
        stages = [child for child in node.children if child.is_named]
        programs = tuple[str, ...]()
        for stage in stages:
            ending = (redirects, more) if stage is stages[-1] else ()
            feed = self.read(stage, scope.copy(), feed, *ending)
            programs = (*programs, *feed.programs)
            feed = Feed(feed.text, programs)
        return feed

    def _redirected(self, node: "Node", scope: Scope, feed: Feed) -> Feed:
        body, redirects = node.child_by_field_name("body"), list[Redirect]()
        more, after, tails = list[Sequence["Node"]](), feed, list["Node"]()
        for child in node.children:
            if child == body:
                continue
            after = self._redirect(child, scope, after, redirects, more, tails)
        if body is None:
            self._command_of([], scope, after, redirects, more)
            output = Feed()
        else:
            output = self.read(body, scope, after, redirects, more)
        for tail in tails:
            piped = tail.type == "pipeline"
            output = self.read(tail, scope.copy() if piped else scope, output if piped else feed)
        return output

    def _redirect(
        self,
        node: "Node",
        scope: Scope,
        feed: Feed,
        redirects: list[Redirect],
        more: "list[Sequence[Node]]",
        tails: "list[Node]",
    ) -> Feed:
        """Read one redirection: what it opens, what it puts on the input, what stands behind it."""
        if node.type == "file_redirect":
            self._file_redirect(node, scope, redirects, more)
        elif node.type == "herestring_redirect":
            self._is_odd()
            words = [
                one for group in _groups(node.children[1:]) for one in self._word(group, scope)
            ]
            return Feed(" ".join(word.text for word in words) + "\n")
        elif node.type == "heredoc_redirect":
            self._is_odd()
            for child in node.children:
                if child.type == "heredoc_body":
                    self.read(child, scope)
                    feed = Feed(text(child))
                elif child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
                    feed = self._redirect(child, scope, feed, redirects, more, tails)
                elif child.type in _WORDS:
                    more.append([child])
                elif child.is_named and not child.type.startswith("heredoc"):
                    tails.append(child)
        return feed

    def _file_redirect(
        self,
        node: "Node",
        scope: Scope,
        redirects: list[Redirect],
        more: "list[Sequence[Node]]",
    ) -> None:
        operator = next((child.type for child in node.children if not child.is_named), ">")
        groups = _groups(node.children_by_field_name("destination"))
        for word in self._word(groups[0], scope) if groups else []:
            redirects.append(Redirect(operator, word))
            if not (word.known and word.text == "/dev/null"):
                self.plain = self.plain and not (redirects[-1].writes or operator == "<")
                self.readable = self.readable and not redirects[-1].writes
        more.extend(groups[1:])  # `cat >out .env`: the grammar takes the rest for files too

    def _command(
        self,
        node: "Node",
        scope: Scope,
        feed: Feed,
        redirects: Sequence[Redirect],
        more: "Sequence[Sequence[Node]]",
    ) -> Feed:
        opened, added, tails = list(redirects), list(more), list["Node"]()
        words = list["Node"]()
        inner = scope
        for child in _word_leaves(node):
            if child.type.endswith("_redirect"):
                feed = self._redirect(child, scope, feed, opened, added, tails)
            elif child.type == "variable_assignment":
                declared = node.type == "declaration_command"
                inner = scope if declared else inner.copy()
                self._assign(child, inner)
                self._is_odd()
                if declared:
                    words.append(child)
            else:
                words.append(child)
        groups = [*_groups(words), *added]
        return self._command_of(groups, scope, feed, opened, (), inner, node.type == "test_command")

    def _command_of(
        self,
        groups: "Sequence[Sequence[Node]]",
        scope: Scope,
        feed: Feed,
        redirects: Sequence[Redirect],
        more: "Sequence[Sequence[Node]]" = (),
        inner: Scope | None = None,
        tested: bool = False,
    ) -> Feed:
        words, written, every = list[Word](), list[str](), True
        before = len(self.steps)
        for group in [*groups, *more]:
            exact = literal(self._pieces(group))
            every = every and exact is not None
            written.append(_raw(group) if exact is None else exact)
            words.extend([Word(exact)] if exact is not None else self._word(group, scope))
        substituted = tuple(step.program for step in self.steps[before:])
        step = Step(
            tuple(words),
            scope.folder,
            tuple(written),
            every,
            tuple(redirects),
            feed,
            substituted,
            self._wrapped > 0,
            tested,
        )
        self.plain = self.plain and every
        self._add(step, scope, inner or scope)
        change_folder(step, scope)
        printed = known_output(step.words, feed.text, scope)
        to_file = any(redirect.writes for redirect in redirects)
        return Feed(None if to_file else printed, (step.program, *substituted))

    def _stand_alone(self, redirects: Sequence[Redirect], scope: Scope) -> None:
        self._add(Step((), scope.folder, redirects=tuple(redirects)), scope, scope)

    def _add(self, step: Step, scope: Scope, inner: Scope) -> None:
        self.steps.append(step)
        self._found(step, scope, inner)

    def _is_odd(self) -> None:
        """Neither a user's rule nor we can say that such a line only does what it says."""
        self.plain = self.readable = False

    def _pieces(self, group: "Sequence[Node]") -> list[Piece]:
        return pieces(group)

    def _word(self, group: "Sequence[Node]", scope: Scope) -> list[Word]:
        parts = self._pieces(group)
        return expand(parts, self._values(parts, scope), scope)

    def _values(self, parts: Iterable[Piece], scope: Scope) -> list[tuple[str, ...] | None]:
        return [self._value(part.expansion, scope) for part in parts if part.expansion is not None]

    def _value(self, node: "Node", scope: Scope) -> tuple[str, ...] | None:
        """What an expansion becomes, where that is known; the commands in it are read."""
        if node.type in ("command_substitution", "process_substitution"):
            self._wrapped += 1
            output = self._all(node, scope.copy(), Feed(), (), ())
            self._wrapped -= 1
            self._is_odd()
            known = node.type == "command_substitution" and output.text is not None
            return (str(output.text).rstrip("\n"),) if known else None
        for child in node.children:
            if child.is_named and child.child_count:
                self.read(child, scope)
        if node.type == "simple_expansion":
            return scope.value(text(node).removeprefix("$"))
        return self._parameter(node, scope) if node.type == "expansion" else None

    def _parameter(self, node: "Node", scope: Scope) -> tuple[str, ...] | None:
        """The value of `${NAME}` or `${NAME:-OTHER}`; of anything cleverer None."""
        inside = [child for child in node.children if child.type not in ("${", "}")]
        if not inside or inside[0].type not in ("variable_name", "special_variable_name"):
            return None
        value = scope.value(text(inside[0]))
        if len(inside) == 1:
            return value
        if inside[1].type not in (":-", "-", ":=", "=", ":?", "?"):
            return None
        if value is None and len(inside) > 2 and inside[1].type not in (":?", "?"):
            words = [word for group in _groups(inside[2:]) for word in self._word(group, scope)]
            return (" ".join(word.text for word in words),) if all(w.known for w in words) else None
        return value

    def _assign(self, node: "Node", scope: Scope) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name":
            for child in node.children:
                self.read(child, scope)
            return
        words = [Word("")]
        if value is not None and value.type == "array":
            words = [
                one for group in _groups(value.named_children) for one in self._word(group, scope)
            ]
        elif value is not None:
            words = self._word([value], scope) or words
        held = tuple(word.text for word in words) if all(word.known for word in words) else None
        if text(node)[len(text(name)) :].startswith("+="):
            old = scope.value(text(name))
            held = None if held is None or old is None else tuple(a + b for a in old for b in held)
        scope.variables[text(name)] = held

    def _bind(self, node: "Node", scope: Scope) -> None:
        """The values that a loop's variable takes."""
        name = node.child_by_field_name("variable")
        groups = _groups(node.children_by_field_name("value"))
        words = [word for group in groups for word in self._word(group, scope)]
        known = bool(words) and all(word.known for word in words)
        if name is not None:
            scope.variables[text(name)] = tuple(word.text for word in words) if known else None

    def _define(self, node: "Node", scope: Scope) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            raise Unparsed("a function in the line has no name or no body")
        self.functions[text(name)] = body
        inside = replace(scope.copy(), in_function=True)
        redirects, more, tails = list[Redirect](), list[Sequence["Node"]](), list["Node"]()
        for child in node.children:
            if child.type.endswith("_redirect"):
                self._redirect(child, inside, Feed(), redirects, more, tails)
        self.read(body, inside, Feed(), redirects, more)


def _word_leaves(node: "Node") -> "Iterable[Node]":
    """The words, assignments and redirections of a command; in brackets a test's own grammar."""
    for child in node.children:
        if child.type == "command_name" or child.type.endswith("_expression"):
            yield from _word_leaves(child)
        elif child.type != "comment":
            yield child


def _groups(nodes: "Iterable[Node]") -> "list[list[Node]]":
    """Nodes grouped into words: those that touch are one."""
    groups = list[list["Node"]]()
    for node in nodes:
        if groups and groups[-1][-1].end_byte == node.start_byte:
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups


def _raw(group: "Sequence[Node]") -> str:
    return "".join(text(node) for node in group)


def change_folder(step: Step, scope: Scope) -> None:
    """Let `cd` and its kin change the folder of what follows."""
    program = step.program
    if program == "popd":
        scope.enter(None)
    if program not in ("cd", "pushd"):
        return
    where = [word for word in step.words[1:] if not word.text.startswith("-") or word.text == "-"]
    if not where:
        scope.enter((scope.value("HOME") or (None,))[0] if program == "cd" else None)
    else:
        scope.enter(where[0].text if where[0].known and where[0].text != "-" else None)
