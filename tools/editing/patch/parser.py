"""Parser of patches of several files, in either of two forms."""

from collections.abc import Mapping

from ...result import ToolError
from .envelope import is_envelope, parse_envelope
from .file_patch import FilePatch
from .unified_diff import parse_unified


def parse_patch(patch: str) -> list[FilePatch]:
    """Parse the patch of each file, in order; raise ToolError for a wrong one."""
    if not patch.strip():
        raise ToolError("the patch is empty")
    return parse_envelope(patch) if is_envelope(patch) else parse_unified(patch)


def find_patched_names(args: Mapping[str, object]) -> list[str]:
    """Find every path, as written, that a call with the argument `patch` may change."""
    patch = args.get("patch")
    if not isinstance(patch, str):
        return []
    names = (name for file_patch in parse_patch(patch) for name in file_patch.names)
    return list(dict.fromkeys(names))
