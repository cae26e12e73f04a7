"""JSON as editors write it: with comments and commas before a closing bracket (pure)."""

import json
import re

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"'  # a string, which may hold what looks like a comment
    r"|//[^\n]*|/\*.*?\*/"
    r"|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])",
    re.DOTALL,
)


def parse_json(content: str) -> tuple[object, bool]:
    """Parse the text; return its value, and whether it is strict JSON.

    Raises ValueError, also for what nests too deep.
    """
    try:
        try:
            return json.loads(content), True
        except json.JSONDecodeError:
            return json.loads(_TOKEN.sub(_blank, content)), False
    except RecursionError as error:
        raise ValueError("it nests too deep") from error


def _blank(match: re.Match[str]) -> str:
    """Keep strings and lines, so that an error names the right line."""
    token = match[0]
    return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)
