"""Values of words after expansion, and variable assignments."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .shell_state import ShellState, Word, expand_parts
from .simple_command import Feed
from .syntax_tree import ParseError, get_text, parse_tree
from .words import WordPart, parse_word, to_literal

if TYPE_CHECKING:
    from tree_sitter import Node

_UNESCAPED = re.compile(r"\\([`$\\])")
_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_OR_ELSE = frozenset([":-", "-", ":=", "="])
_SETS = frozenset([":=", "="])
_IF_SET = frozenset([":+", "+"])
_PLAIN_PATTERN = re.compile(r"[\w./*?+@,:=-]+", re.ASCII)
_PLAIN_VALUES = re.compile(
    r"""\$(?:HOME|PWD|[?#])|"(?:[\w .,:;=/()-]|\$(?:HOME|PWD)\b|\$[?#])*\"""", re.ASCII
)
# A word without `$'…'` and `$"…"`; inside other quotes `$'` and `$"` are literal
_NO_DOLLAR_QUOTE = re.compile(
    r"""(?:[^\\'"$]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\$(?!['"]))*""", re.DOTALL
)
# `"$(cat <<'EOF'`, the lines, and `EOF` on a line of its own
_DOCUMENT = re.compile(
    r""""\$\(cat <<(['"]?)([A-Za-z_]\w*)\1\n((?:.*\n)*?)\2\n?[ \t]*\)\"""", re.ASCII
)
_EXPANDS = re.compile(r"[$`\\]")
_NAMES = ("variable_name", "special_variable_name", "subscript")
_OR_FAIL = frozenset([":?", "?"])

# The possible values of an expansion
Values = Sequence[str]


def group_words(nodes: "Iterable[Node]") -> "list[list[Node]]":
    """Group nodes into words: nodes that touch are one word."""
    words = list[list["Node"]]()
    for node in nodes:
        if words and words[-1][-1].end_byte == node.start_byte:
            words[-1].append(node)
        else:
            words.append([node])
    return words


def as_written(group: "Sequence[Node]") -> tuple[str, bool]:
    """Return the argument and True, or the word as written and False, for users' rules."""
    exact = _find_exact_text(group)
    return ("".join(map(get_text, group)), False) if exact is None else (exact, True)


def _find_exact_text(group: "Sequence[Node]") -> str | None:
    """Return a word that nothing can change, or a here-document in its place; else None.

    Models write the messages of commits as `"$(cat <<'EOF' … EOF)"`.
    """
    exact = to_literal(parse_word(group))
    if exact is not None or len(group) != 1 or group[0].type != "string":
        return exact
    match = _DOCUMENT.fullmatch(get_text(group[0]))
    if match is None or (not match[1] and _EXPANDS.search(match[3])):
        return None
    lines = match[3].split("\n")[:-1]
    ends = [line for line in lines if line.strip("\t ") == match[2]]
    return None if ends else "\n".join(lines).rstrip("\n")


def is_sure(group: "Sequence[Node]") -> bool:
    """Return whether the value of a word is certain: literal, or of the simplest form.

    Otherwise our expansion of patterns, braces and values may deny a command, but never allow it.
    """
    raw = "".join(map(get_text, group))
    if not _NO_DOLLAR_QUOTE.fullmatch(raw):
        return False
    plainest = _PLAIN_PATTERN.fullmatch(raw) or _PLAIN_VALUES.fullmatch(raw)
    return plainest is not None or _find_exact_text(group) is not None


class Expander:
    """Expands words; `commands` evaluates a substitution's commands and returns their output."""

    def __init__(self, commands: "Callable[[Node, ShellState], Feed]") -> None:
        self._commands = commands

    def expand_word(self, group: "Sequence[Node]", scope: ShellState) -> list[Word]:
        """Expand one word into words."""
        parts = parse_word(group)
        return expand_parts(parts, [self._resolve_value(part, scope) for part in parts], scope)

    def expand_words(self, nodes: "Iterable[Node]", scope: ShellState) -> list[Word]:
        """Expand adjacent nodes into words."""
        return [word for group in group_words(nodes) for word in self.expand_word(group, scope)]

    def assign_variable(self, node: "Node", scope: ShellState) -> None:
        """Apply `NAME=VALUE` to the scope."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            raise ParseError("an assignment has no name")
        words = [Word("")]
        if value is not None and value.type == "array":
            words = self.expand_words(value.named_children, scope)
        elif value is not None:
            words = self._expand_value(value, scope) or words
        held = _collect_texts(words)
        if any(child.type == "+=" for child in node.children):
            old = scope.get_value(get_text(name))
            held = tuple(a + b for a in old for b in held) if held and old else None
        scope.variables[get_text(name)] = held
        self.look_into(name, scope)

    def _expand_value(self, value: "Node", scope: ShellState) -> list[Word]:
        """Expand what is assigned: no value in it is split, and an empty one counts."""
        parts = [
            replace(part, quoted=True) if part.expansion or part.variable else part
            for part in parse_word([value])
        ]
        return expand_parts(parts, [self._resolve_value(part, scope) for part in parts], scope)

    def bind_loop_variable(self, node: "Node", scope: ShellState) -> None:
        """Bind the values of a loop's variable."""
        name = node.child_by_field_name("variable")
        words = self.expand_words(node.children_by_field_name("value"), scope)
        if name is not None:
            scope.variables[get_text(name)] = _collect_texts(words) if words else None

    def look_into(self, node: "Node", scope: ShellState) -> None:
        """Evaluate the commands inside a node that is not a command."""
        if node.type in _SUBSTITUTIONS:
            self._read_output(node, scope)
        else:
            for child in node.children:
                self.look_into(child, scope)

    def _resolve_value(self, part: WordPart, scope: ShellState) -> Values | None:
        value = self._read_value(part, scope)
        is_split = "IFS" in scope.variables and not part.quoted
        return None if is_split else value  # by what the line has put there

    def _read_value(self, part: WordPart, scope: ShellState) -> Values | None:
        if part.variable:
            return scope.get_value(part.variable)
        node = part.expansion
        if node is None:
            return None
        if node.type in _SUBSTITUTIONS:
            output = self._read_output(node, scope)
            if node.type == "process_substitution":
                scope.files[get_text(node)] = output or ""
                return None
            return None if output is None else (output.rstrip("\n"),)
        self.look_into(node, scope)
        return self._expand_parameter(node, scope) if node.type == "expansion" else None

    def _read_output(self, node: "Node", scope: ShellState) -> str | None:
        """Return the output of a substitution, if known; backticks in it are another one."""
        written = get_text(node)
        if written.startswith("`") and "\\`" in written:
            self.look_into(parse_tree(_UNESCAPED.sub(r"\1", written[1:-1])), scope)
        return self._commands(node, scope).text

    def _expand_parameter(self, node: "Node", scope: ShellState) -> Values | None:
        """Return the values of `${NAME}` or `${NAME:-OTHER}`; None for any other form."""
        inside = [child for child in node.children if child.type not in ("${", "}")]
        name = get_text(inside[0]).partition("[")[0] if inside else ""
        if not inside or inside[0].type not in _NAMES:
            return None
        value, operator = scope.get_value(name), inside[1].type if inside[1:] else ""
        if not operator or operator in _OR_FAIL:
            return value
        if operator not in _OR_ELSE and operator not in _IF_SET:
            return None
        other = [
            word for group in group_words(inside[2:]) for word in self.expand_word(group, scope)
        ]
        held = (
            (" ".join(word.text for word in other),) if _collect_texts(other) is not None else None
        )
        is_unset = value is None and name not in scope.variables and name not in os.environ
        chosen = _choose_values(("",) if is_unset else value, held, operator)
        if operator in _SETS:
            scope.variables[name] = None if chosen is None else tuple(chosen)
        return chosen


def _choose_values(value: Values | None, other: Values | None, operator: str) -> Values | None:
    """Return the values of `${NAME:-OTHER}` or `${NAME:+OTHER}`; an empty value may be unset."""
    if operator in _IF_SET:
        is_set = value is not None and all(value)
        return other if is_set or other is None else ("", *other)
    if value is None or all(value):
        return value
    usable = value if ":" not in operator else list(filter(None, value))
    return None if other is None else (*usable, *other)


def _collect_texts(words: Sequence[Word]) -> tuple[str, ...] | None:
    return tuple(word.text for word in words) if all(word.known for word in words) else None
