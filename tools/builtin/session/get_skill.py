"""The `get_skill` tool: loads the instructions of one skill."""

import asyncio
from difflib import get_close_matches

from ....config.skills.skill import SkillRegistry
from ...definition import tool
from ...result import CallResult, ToolError
from ...tool_run import Run

# In a result's metadata: name and hash of the skill that was loaded
SKILL = "skill"
KNOWN = "`{name}` is loaded already; follow its instructions in this conversation."


@tool("read")
async def get_skill(name: str, *, run: Run) -> CallResult:
    """Load a skill."""
    if run.skills is None:
        raise ToolError("there are no skills here")
    skill_name = name.strip().removeprefix("/")
    skill = run.skills.registry.skills.get(skill_name)
    if skill is None:
        raise ToolError(_describe_unknown(skill_name, run.skills.registry))
    if run.skills.loaded.get(skill.name) == skill.digest:
        return CallResult(KNOWN.format(name=skill.name))
    from ...skills.rendering import render_skill

    output = await asyncio.to_thread(render_skill, skill, run.skills.ignore)
    loaded = {skill.name: skill.digest}
    return CallResult(output, metadata={SKILL: loaded}, update={"skills": loaded})


def _describe_unknown(name: str, registry: SkillRegistry) -> str:
    names = [skill.name for skill in registry.listed]
    close = get_close_matches(name, names, n=3, cutoff=0.5)
    return f"there is no skill `{name}`; there are: {', '.join(close or names)}"
