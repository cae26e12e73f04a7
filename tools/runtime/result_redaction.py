"""Where secrets meet a call: they leave its result, and their marks do not enter a file."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from ...config.security.redaction import marks_in, redacted, redacted_all
from ..filesystem.file_access import read_bytes
from ..result import ToolRefusal, ToolResult
from ..workspace import Workspace

NAMES = frozenset(["path", "paths", "backups", "output_file"])
"""Facts that name files, by which they are found again."""

MARKED = (
    "the new text holds `{mark}`, which stands where a secret was hidden from you; it would be "
    "written in the secret's place. Leave that line out of the edit, and change the others"
)


def without_secrets(result: ToolResult) -> ToolResult:
    """The result as it may be kept, shown and read by a model."""
    facts = {
        name: value if name in NAMES else redacted_all(value)
        for name, value in result.metadata.items()
    }
    output, error = redacted(result.output), redacted(result.error)
    return replace(result, output=output, error=error, metadata=facts)


def refuse_marks(args: Mapping[str, object], paths: Iterable[str], workspace: Workspace) -> None:
    """Raise ToolRefusal for an edit that would write a mark which its files do not have."""
    marks = marks_in("\n".join(_texts(args)))
    for mark in marks - (_marks_of(paths, workspace) if marks else set()):
        raise ToolRefusal(MARKED.format(mark=mark))


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        inner = cast("Mapping[Any, Any] | list[Any]", value)
        for one in inner.values() if isinstance(inner, Mapping) else inner:
            yield from _texts(one)


def _marks_of(paths: Iterable[str], workspace: Workspace) -> set[str]:
    """Marks that really stand in the files, as in a text about them."""
    found = set[str]()
    for path in paths:
        try:
            data = read_bytes(workspace, workspace.resolve(path))
        except ToolRefusal:
            continue
        found |= marks_in(data.decode(errors="replace"))
    return found
