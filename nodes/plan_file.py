"""The plan of a conversation: a Markdown file that plan mode writes and build mode reads."""

import os
import re
from datetime import datetime
from pathlib import Path

from ..config.errors import MaxAgentError
from ..config.private import replace_file

PLANS = ".llc/plans"
"""The folder of plans, relative to the project."""
LONGEST_SLUG = 40
LARGEST = 200_000
"""Characters of a plan."""


def new_plan_file(request: str, now: datetime) -> str:
    """The path of a plan that is begun now, relative to the project."""
    words = re.sub(r"[^\w]+", "-", request.strip().partition("\n")[0].lower())
    slug = words[:LONGEST_SLUG].strip("-_") or "plan"
    return f"{PLANS}/{now:%Y%m%d-%H%M%S}-{slug}.md"


def read_plan(folder: str, plan_file: str) -> str:
    """What the plan says; empty where there is none yet, or none that could be the plan."""
    try:
        path = _path(folder, plan_file)
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read(4 * LARGEST).decode(errors="replace")[:LARGEST].strip()
    except (OSError, MaxAgentError):
        return ""


def write_plan(folder: str, plan_file: str, text: str) -> None:
    """Write the plan as the human left it; raises MaxAgentError where links lead elsewhere."""
    path = _path(folder, plan_file)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"{text.strip()}\n".encode(), mode=0o644)


def _path(folder: str, plan_file: str) -> Path:
    path = Path(folder, plan_file)
    if os.path.realpath(path.parent) != os.path.join(os.path.realpath(folder), PLANS):
        raise MaxAgentError(
            f"`{PLANS}` leads elsewhere", hint="plans lie in the project itself: remove the link"
        )
    return path
