"""Definitions of a Python file, by `ast`; of a broken one what parses, else the lines."""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from .code_definition import CodeDefinition, FileDefinitions, format_signature

_HEADER = re.compile(r"([ \t]*)((?:async[ \t]+def|def|class)[ \t]+\w+.*)")
# As Python counts lines: a form feed ends none
_LINE_END = re.compile(r"\r\n|\r|\n")
# Where a file is cut to see which of its parts parse
_TOP_LEVEL = re.compile(r"(?:async[ \t]+def|def|class)\b|@")
# Statements of the top level in which definitions can be, such as `if TYPE_CHECKING:`
_BLOCKS = (ast.If, ast.Try, ast.With)


def find_python_definitions(source: str) -> FileDefinitions:
    """Find the classes, functions and methods of a file."""
    source = source.removeprefix("\ufeff")
    if (tree := _parse(source)) is not None:
        return FileDefinitions(list(_iter_definitions(tree.body, 0, 0)))
    lines = _LINE_END.split(source)
    starts = [at for at, line in enumerate(lines) if at == 0 or _TOP_LEVEL.match(line)]
    definitions = list[CodeDefinition]()
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        part = lines[start:end]
        tree = _parse("\n".join(part))
        definitions += (
            _iter_headers(part, start) if tree is None else _iter_definitions(tree.body, 0, start)
        )
    return FileDefinitions(definitions, is_whole=False)


def _parse(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _iter_definitions(
    body: Sequence[ast.stmt], depth: int, skipped: int
) -> Iterator[CodeDefinition]:
    """Yield the definitions in a body; `skipped` lines are before the first."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield CodeDefinition(node.lineno + skipped, depth, _format_function(node))
        elif isinstance(node, ast.ClassDef):
            yield CodeDefinition(node.lineno + skipped, depth, _format_class(node))
            yield from _iter_definitions(node.body, depth + 1, skipped)
        elif isinstance(node, _BLOCKS):
            yield from _iter_definitions(_list_inner(node), depth, skipped)


def _list_inner(node: ast.If | ast.Try | ast.With) -> list[ast.stmt]:
    if isinstance(node, ast.With):
        return node.body
    handlers = (
        []
        if isinstance(node, ast.If)
        else [statement for h in node.handlers for statement in h.body]
    )
    final = [] if isinstance(node, ast.If) else node.finalbody
    return [*node.body, *handlers, *node.orelse, *final]


def _format_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    try:
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return format_signature(f"{word} {node.name}({ast.unparse(node.args)}){returns}")
    except RecursionError:  # a default nested too deeply
        return f"{word} {node.name}(…)"


def _format_class(node: ast.ClassDef) -> str:
    try:
        parts = [ast.unparse(part) for part in (*node.bases, *node.keywords)]
    except RecursionError:
        parts = ["…"]
    return format_signature(f"class {node.name}" + (f"({', '.join(parts)})" if parts else ""))


def _iter_headers(lines: Sequence[str], skipped: int) -> Iterator[CodeDefinition]:
    """Yield the definitions of a part that does not parse, by the beginnings of its lines."""
    indents = list[int]()
    for number, line in enumerate(lines, skipped + 1):
        if header := _HEADER.match(line):
            indent = len(header[1].expandtabs())
            while indents and indents[-1] >= indent:
                indents.pop()
            yield CodeDefinition(number, len(indents), format_signature(header[2]))
            indents.append(indent)
