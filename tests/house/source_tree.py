"""The package's source files: where they are and what they import."""

import ast
from collections.abc import Iterator, Sequence, Set
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FLOORS = ("config", "memory models", "tools", "nodes", "graphs", "sdk", "cli")
"""From the ground up; two names are side by side."""
FLOOR_NUMBERS = {name: number for number, names in enumerate(FLOORS) for name in names.split()}


@cache
def find_modules() -> Sequence[Path]:
    """Find every source file of the package, relative to the repository."""
    floor_numbers = [path for folder in FLOOR_NUMBERS for path in (ROOT / folder).rglob("*.py")]
    return sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.py"), *floor_numbers])


@cache
def read_source(module: Path) -> str:
    """Read one source file."""
    return (ROOT / module).read_text(encoding="utf-8")


@cache
def parse_module(module: Path) -> ast.Module:
    """Parse one source file."""
    return ast.parse(read_source(module))


def read_docstring(module: Path) -> str:
    """Read what a module says of itself."""
    return ast.get_docstring(parse_module(module)) or ""


@cache
def find_statements(module: Path) -> Sequence[ast.AST]:
    """Find all statements of one source file, the inner ones, too."""
    statements: list[ast.AST] = [parse_module(module)]
    for statement in statements:
        for block in ("body", "handlers", "cases", "orelse", "finalbody"):
            statements += getattr(statement, block, ())
    return statements


def find_functions(module: Path) -> Sequence[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Find the functions and methods of one source file."""
    nodes = find_statements(module)
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@cache
def imported_modules(module: Path) -> Set[Path]:
    """Find the package's own source files that one source file imports, for types alone too."""
    nodes = [node for node in find_statements(module) if isinstance(node, ast.ImportFrom)]
    return {path for node in nodes if node.level for path in _targets(module, node)}


@cache
def _list_modules() -> Set[Path]:
    return {*find_modules()}


def _targets(module: Path, node: ast.ImportFrom) -> Iterator[Path]:
    modules = _list_modules()
    start = module.parents[node.level - 1].joinpath(*(node.module or "").split("."))
    for alias in node.names:
        choices = (start / f"{alias.name}.py", start / alias.name / "__init__.py")
        choices += (start.with_suffix(".py"),) if start.name else ()
        yield next((path for path in choices if path in modules), start / "__init__.py")
