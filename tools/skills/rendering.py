"""What a model reads of skills: a line each, or one whole with the list of its files."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from ...config.security.redaction import redact
from ...config.skills.skill import Skill, SkillRegistry
from ..filesystem.walk import walk
from ..result import ToolError
from ..workspace import Workspace

INTRODUCTION = (
    "Instructions for special tasks. When a task fits a description, load it with "
    "get_skill(name) before you begin."
)
MAX_LISTED, MAX_LINE_LENGTH = 100, 400
MAX_FILES, WALK_SECONDS = 50, 5.0
# Bytes of one body; the rest can be read
MAX_BODY = 40_000
LOADED = '<skill name="{name}" folder="{folder}">\n{body}\n</skill>'
FILES = "Its other files, relative to that folder; read_file, grep, glob and list_files open them:"
MISSING = "This agent should have the skill `{name}`, which is not there. Tell the user."
_MARK = re.compile(r"<(?=\s*/?\s*skill\b)", re.IGNORECASE)


def format_catalog(skills: Iterable[Skill], most_bytes: int) -> str:
    """Return a line for each skill, in this order, as many as fit; empty without any."""
    all_skills = [*skills]
    lines, left = list[str](), most_bytes - len(INTRODUCTION) - 80
    for skill in all_skills[:MAX_LISTED]:
        line = f"- {skill.name}: {skill.description}"
        short = line if len(line) <= MAX_LINE_LENGTH else f"{line[:MAX_LINE_LENGTH]}…"
        left -= len(short.encode()) + 1
        if left < 0:
            break
        lines.append(short)
    if not lines:
        return ""
    more = len(all_skills) - len(lines)
    rest = [f"[{more} more are not listed; the user loads one with /NAME]"] if more else []
    return "\n".join([INTRODUCTION, *lines, *rest])


def render_skill(skill: Skill, ignore: Sequence[str]) -> str:
    """Return a whole skill for the model: its instructions between marks, and its files."""
    body = _MARK.sub("&lt;", redact(_cut_body(skill)))
    marked = LOADED.format(
        name=escape(skill.name), folder=escape(str(skill.folder), quote=False), body=body
    )
    return "\n".join([marked, *_list_files(skill, ignore)])


def render_skills(
    names: Iterable[str], registry: SkillRegistry, ignore: Sequence[str]
) -> list[str]:
    """Return the skills of these names; one that is missing is said, so that the user hears it."""
    skills = registry.skills
    return [
        render_skill(skills[name], ignore) if name in skills else MISSING.format(name=name)
        for name in names
    ]


def _cut_body(skill: Skill) -> str:
    data = skill.body.encode(errors="replace")
    if len(data) <= MAX_BODY:
        return skill.body
    head = data[:MAX_BODY].decode(errors="ignore").rpartition("\n")[0]
    return f"{head}\n[cut here; read_file shows the rest: {skill.folder / skill.file.name}]"


def _list_files(skill: Skill, ignore: Sequence[str]) -> list[str]:
    workspace = Workspace(skill.folder, tuple(ignore))
    try:
        entries = walk(workspace, workspace.root, deep=True, seconds=WALK_SECONDS)
        others = (entry.name for entry in entries if entry.kind == "file")
        names = [*islice((name for name in others if name != skill.file.name), MAX_FILES + 1)]
    except ToolError:
        return ["[its folder has too many files to list]"]
    if not names:
        return []
    more = ["[and more]"] if len(names) > MAX_FILES else []
    return [FILES, *names[:MAX_FILES], *more]
