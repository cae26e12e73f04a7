"""Redaction of a call: secrets leave its result, and their marks do not enter a file."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from ...config.security.redaction import find_marks, redact, redact_json
from ..filesystem.file_access import read_bytes
from ..result import CallResult, ToolError
from ..workspace import Workspace

# metadata that names files, which must stay findable
NAMES = frozenset(["path", "paths", "backups", "output_file"])

MARKED = (
    "the new text holds `{mark}`, which stands where a secret was hidden from you; it would be "
    "written in the secret's place. Leave that line out of the edit, and change the others"
)


def without_secrets(result: CallResult) -> CallResult:
    """Return the result with secrets redacted, for storage, the user and the model."""
    facts = {
        name: value if name in NAMES else redact_json(value)
        for name, value in result.metadata.items()
    }
    output, error = redact(result.output), redact(result.error)
    return replace(result, output=output, error=error, metadata=facts)


def refuse_marks(args: Mapping[str, object], paths: Iterable[str], workspace: Workspace) -> None:
    """Raise ToolError for an edit that would write a mark which its files do not have."""
    marks = find_marks("\n".join(_iter_texts(args)))
    for mark in marks - (_find_marks(paths, workspace) if marks else set()):
        raise ToolError(MARKED.format(mark=mark))


def _iter_texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        inner = cast("Mapping[Any, Any] | list[Any]", value)
        for item in inner.values() if isinstance(inner, Mapping) else inner:
            yield from _iter_texts(item)


def _find_marks(paths: Iterable[str], workspace: Workspace) -> set[str]:
    """Find the marks that the files themselves contain, as in a text about them."""
    marks = set[str]()
    for path in paths:
        try:
            data = read_bytes(workspace, workspace.resolve(path))
        except ToolError:
            continue
        marks |= find_marks(data.decode(errors="replace"))
    return marks
