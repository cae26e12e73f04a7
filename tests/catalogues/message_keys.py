"""The keys that the program asks for: whole, or with a part that shows only when it runs."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path


def keys_in(files: Iterable[Path]) -> re.Pattern[str]:
    """What matches every key that these files could mean; text that is no key does no harm."""
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    return re.compile("|".join({text for node in nodes if (text := _pattern(node))}))


def _pattern(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if not isinstance(node, ast.JoinedStr) or len(node.values) > 3:
        return ""
    parts = [
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"[\w-]+"
        for part in node.values
    ]
    return "".join(parts) if any("\\." in part for part in parts) else ""
