"""Every sentence that lower floors say to people, from their source.

What counts is a literal in which two words of small letters follow each other, where people are
spoken to; docstrings, help texts and what is listed below as none do not.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from untranslated_texts import ASSEMBLED, NOT_FOR_PEOPLE, SILENT, SPEAKING

ROOT = Path(__file__).parents[2]
_SENTENCE = re.compile(r"(?<![\w.-])[a-z']{2,}[,;:]? [a-z'`{\"(]")
_NO_SENTENCE = re.compile(
    r"^\n|\n\s|\b(SELECT|INSERT|UPDATE|CREATE|DELETE)\b|^\w+\[[\w\[\], |]+\]$|^(bold|dim|fg:|bg:)"
)
_TAKES_NO_SENTENCE = ("cast", "t", "compile", "split_names", "split")
_PLACE = re.compile(r"\{\{|\}\}|\{([a-z_]\w*)(?::[^{}]*)?\}")


@cache
def sentences() -> set[str]:
    """The texts that need a translation, `{name}` where a value stands."""
    files = {path for pattern in SPEAKING for path in ROOT.glob(pattern)} - _silent()
    result = {text for path in files for text in sentences_in(path.read_text(encoding="utf-8"))}
    return {text for text in result if text not in NOT_FOR_PEOPLE} | set(ASSEMBLED)


def messages_without_template() -> list[str]:
    """Messages made by an f-string, which keeps neither template nor values."""
    files = {path for pattern in SPEAKING for path in ROOT.glob(pattern)} - _silent()
    return [
        f"{path.relative_to(ROOT)}: {result}"
        for path in sorted(files)
        for result in f_strings_in(path.read_text(encoding="utf-8"))
        if result not in NOT_FOR_PEOPLE
    ]


def _silent() -> set[Path]:
    return {ROOT / name for name in SILENT}


def sentences_in(source: str) -> Iterator[str]:
    """Those of one module."""
    return (text for _, text in _find_sentences(ast.parse(source)))


def templates_in(source: str) -> set[str]:
    """The sentences that one module gives to `text()`: literals, and constants of its own."""
    tree = ast.parse(source)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    arguments = [call.args[0] for call in calls if getattr(call.func, "id", "") == "text"]
    values = [constants.get(arg.id, arg) if isinstance(arg, ast.Name) else arg for arg in arguments]
    return {text for value in values if _SENTENCE.search(text := _text(value))}


def f_strings_in(source: str) -> Iterator[str]:
    """Those of one module that an f-string fills in."""
    for node, result in _find_sentences(ast.parse(source)):
        values = node.values if isinstance(node, ast.JoinedStr) else ()
        if any(isinstance(piece, ast.FormattedValue) for piece in values):
            yield result


def _find_sentences(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    left_out = {id(node) for node in _left_out(tree)}
    for node in ast.walk(tree):
        if id(node) not in left_out and isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
            text = _text(node)
            if text and _SENTENCE.search(text) and not _NO_SENTENCE.search(text):
                yield node, text
                if isinstance(node, ast.BinOp):
                    left_out |= {id(node.left), id(node.right)}


def _left_out(tree: ast.Module) -> Iterator[ast.AST]:
    """Docstrings, help texts, log records, types, keys of messages, pieces of f-strings."""
    for node in ast.walk(tree):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Call) and _is_log(node.func):
            yield from ast.walk(node)
        elif docstring or (isinstance(node, ast.keyword) and node.arg == "help"):
            yield node.value
        elif isinstance(node, ast.Call) and _name(node.func) in _TAKES_NO_SENTENCE:
            called = (node.func.value, *node.args) if _is_split(node) else node.args
            yield from (below for item in called for below in ast.walk(item))
        elif isinstance(node, ast.JoinedStr):
            yield from (piece for piece in node.values if isinstance(piece, ast.Constant))


def _is_log(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and _name(called.value) == "logger"


def _is_split(node: ast.Call) -> bool:
    """`"one two three".split()` is a list of words."""
    return isinstance(node.func, ast.Attribute) and node.func.attr == "split"


def _text(node: ast.AST) -> str:
    """The literal as a template; empty for what is no literal."""
    if isinstance(node, ast.Constant):
        return _template(node.value) if isinstance(node.value, str) else ""
    if isinstance(node, ast.BinOp):
        remaining, right = _text(node.left), _text(node.right)
        text = remaining + f"{{{_name(node.right)}}}" if remaining and not right else ""
        return remaining + right if remaining and right else text
    return "".join(_pieces(node)) if isinstance(node, ast.JoinedStr) else ""


def _template(text: str) -> str:
    """A text that is filled in later has places; any other may hold braces of its own."""
    if re.search(r"[{}]", _PLACE.sub("", text)) or not _PLACE.search(text):
        return text.replace("{", "{{").replace("}", "}}")
    return _PLACE.sub(lambda match: f"{{{match[1]}}}" if match[1] else match[0], text)


def _pieces(node: ast.JoinedStr) -> Iterator[str]:
    used: dict[str, int] = {}
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            name = _name(piece.value)
            used[name] = used.get(name, 0) + 1
            yield f"{{{name}{used[name] if used[name] > 1 else ''}}}"
        elif isinstance(piece, ast.Constant):
            yield str(piece.value).replace("{", "{{").replace("}", "}}")


def _name(node: ast.AST) -> str:
    """What a value is called in the template."""
    match node:
        case ast.Name(id=name):
            return name.strip("_").lower()
        case ast.Call(func=ast.Name(id="len")):
            return "count"
        case ast.Call(func=ast.Attribute(attr="join"), args=[ast.Name() as names]):
            return _name(names)
        case ast.Call(func=ast.Attribute(attr="join")):
            return "names"
        case ast.Call(func=ast.Attribute(value=value, attr="strip" | "resolve")):
            return _name(value)
        case ast.Attribute(attr=name):
            return name.strip("_").lower()
        case ast.Call(func=inner) | ast.Subscript(value=inner):
            return _name(inner)
        case _:
            return "value"
