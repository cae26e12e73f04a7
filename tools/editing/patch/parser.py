"""Read a patch of several files in either of its two forms."""

from collections.abc import Mapping

from ...result import ToolError
from .envelope import is_envelope, parse_envelope
from .file_patch import FilePatch
from .unified_diff import parse_unified


def parse_patch(patch: str) -> list[FilePatch]:
    """What a patch says of each file, in its order; raises ToolError when it cannot be read."""
    if not patch.strip():
        raise ToolError("the patch is empty")
    return parse_envelope(patch) if is_envelope(patch) else parse_unified(patch)


def find_patched_names(args: Mapping[str, object]) -> list[str]:
    """Every path that the call of a tool with the argument `patch` may touch, as written."""
    patch = args.get("patch")
    if not isinstance(patch, str):
        return []
    names = (name for found in parse_patch(patch) for name in found.names)
    return list(dict.fromkeys(names))
