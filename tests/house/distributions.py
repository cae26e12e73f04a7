"""The distributions that the package imports, and those that pyproject.toml declares."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from source_tree import ROOT, find_modules, find_statements

EXTRA_PLACES = {
    "code": "tools/definitions/languages.py",
    "openai": "models/langchain_responses.py",
    "postgres": "memory/database/postgres.py",
    "studio": "sdk/studio/",
    "web": "cli/web/",
    "workers": "sdk/workers/",
}
"""The only places that may import an extra."""
NEVER_IMPORTED = {"langgraph-cli"}
"""Declared for what it installs."""


def declared_distributions(extra: str = "") -> set[str]:
    """Read what pyproject.toml declares, of the core or of one extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return {_normalize(re.split(r"[^\w.-]", line)[0]) for line in lines}


def pinned_distributions() -> set[str]:
    """Read the names in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {_normalize(line.partition("==")[0]) for line in lines if "==" in line}


def imported_distributions(extra: str = "") -> Mapping[str, Path]:
    """Find each distribution that the core or one extra's place imports, with a file that does."""
    return {
        _owner(name): module
        for module in find_modules()
        if _extra_of(module) == extra
        for name in _imported_names(module)
    }


def _extra_of(module: Path) -> str:
    places = EXTRA_PLACES.items()
    return next((extra for extra, location in places if str(module).startswith(location)), "")


def _imported_names(module: Path) -> Iterator[str]:
    for node in find_statements(module):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name for name in names if name.split(".")[0] not in sys.stdlib_module_names)


def _owner(name: str) -> str:
    """The distribution that has the longest part of the name as a module, else the name."""
    parts = name.split(".")
    parents = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    return next((_owners()[each] for each in parents if each in _owners()), name)


@cache
def _owners() -> Mapping[str, str]:
    """Each installed module's distribution; several share the namespace `langgraph`."""
    return {
        _dotted(path): _normalize(distribution.name)
        for distribution in distributions()
        # `found.files` reads the same file ten times slower
        for path in re.findall(
            r"^([\w./-]+\.(?:py|so)),", distribution.read_text("RECORD") or "", re.M
        )
    }


def _dotted(path: str) -> str:
    names = [part.partition(".")[0] for part in path.split("/")]
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
