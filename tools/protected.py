"""Names that steer this agent or other tools: to change them is asked in every mode."""

from pathlib import PurePosixPath

PROTECTED = frozenset(
    [
        ".git",
        ".gitmodules",
        ".llc",
        ".llc.yaml",
        ".maxagent",
        ".mcp.json",
        "agents.md",
        "claude.md",
        "maxagent.md",
        ".vscode",
        ".idea",
        ".devcontainer",
        ".husky",
        ".envrc",
    ]
)
"""Files, and folders with all they hold; in lower case, as some file systems do not mind case."""


def protected_name(path: str) -> str:
    """The part of a path that is protected; empty when none is."""
    parts = PurePosixPath(path).parts
    for at, part in enumerate(parts):
        name = part.casefold()
        if name in PROTECTED or (
            name == "workflows" and at and parts[at - 1].casefold() == ".github"
        ):
            return part
    return ""
