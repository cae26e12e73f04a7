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
def find_test_modules() -> Sequence[Path]:
    """Find every source file of the tests, relative to the repository."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py"))


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
    return {path for node in _own_imports(module) for path in _targets(module, node)}


@cache
def modules_at_run_time(module: Path) -> Set[Path]:
    """Find those of them that the program imports, in functions too, but not for types alone."""
    nodes = [node for node in find_statements(module) if isinstance(node, ast.If)]
    blocks = [node for node in nodes if getattr(node.test, "id", "") == "TYPE_CHECKING"]
    for_types = {id(inner) for block in blocks for inner in block.body}
    imports = [node for node in _own_imports(module) if id(node) not in for_types]
    return {path for node in imports for path in _targets(module, node)}


def _own_imports(module: Path) -> Sequence[ast.ImportFrom]:
    nodes = [node for node in find_statements(module) if isinstance(node, ast.ImportFrom)]
    return [node for node in nodes if node.level]


def find_public_classes(module: Path) -> Sequence[str]:
    """Find the names of the public classes of one source file."""
    classes = [node for node in parse_module(module).body if isinstance(node, ast.ClassDef)]
    return [node.name for node in classes if not node.name.startswith("_")]


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
