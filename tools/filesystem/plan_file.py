"""The plan of a conversation: a Markdown file that plan mode writes and build mode reads."""

import re
from datetime import datetime

from ...config.errors import MaxAgentError
from ...config.plan_files import MAX_PLAN_BYTES, PLANS
from ...config.security.redaction import redact
from ...config.text import text
from ..result import ToolError
from ..workspace import Workspace
from .atomic_write import write_atomic
from .file_access import get_stat, read_bytes

MAX_SLUG_LENGTH = 40


def make_plan_path(request: str, now: datetime) -> str:
    """Make the path of a new plan, relative to the project."""
    first_line = redact(request).strip().partition("\n")[0]
    words = re.sub(r"[^\w]+", "-", first_line.lower())
    slug = words[:MAX_SLUG_LENGTH].strip("-_") or "plan"
    return f"{PLANS}/{now:%Y%m%d-%H%M%S}-{slug}.md"


def read_plan(workspace: Workspace, plan_file: str) -> str:
    """Read the plan; empty if there is none, or it cannot be read."""
    try:
        data = read_bytes(workspace, workspace.root / plan_file, MAX_PLAN_BYTES)
    except ToolError:
        return ""
    return data.decode(errors="replace").strip()


def write_plan(workspace: Workspace, plan_file: str, content: str) -> None:
    """Write the plan as the user edited it; raise MaxAgentError on failure."""
    path = workspace.root / plan_file
    try:
        data = f"{content.strip()}\n".encode()
        if len(data) > MAX_PLAN_BYTES:
            raise ToolError(text("it is larger than {limit} bytes", limit=MAX_PLAN_BYTES))
        write_atomic(workspace, path, data, get_stat(workspace, path))
    except (ToolError, OSError, UnicodeEncodeError) as error:
        raise MaxAgentError(
            text("cannot write the plan: {error}", error=error),
            hint=text("check `{plans}`", plans=PLANS),
        ) from error
