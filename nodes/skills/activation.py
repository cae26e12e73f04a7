"""Skills that the user loads by `/name`, and skills that have changed since they were loaded."""

import re
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from ...config.skills.skill import Skill, SkillRegistry
from ...tools.skills.rendering import render_skill
from ..conversation.loaded_skills import find_loaded_skills, mark_skills
from ..roles import RoleName
from ..run.message_history import build_role_message
from ..state import State

BY_USER = "The user loads this skill with their next message. Follow its instructions for it."
AGAIN = "The user asks for the skill `{name}`, which is loaded already: follow it for this message."
CHANGED = (
    "The skill `{name}` has changed on the disk since it was loaded. Load it again with get_skill "
    "if you still need it."
)
# The mark in `additional_kwargs`: the skills that a note calls changed, with their new hash
CHANGED_SKILLS = "skills_changed"
_CALL = re.compile(r"/(\S+)(?:\s|$)")


def find_invoked_skill(request: str, registry: SkillRegistry) -> Skill | None:
    """Return the skill that a message begins with, as `/name`."""
    match = _CALL.match(request)
    skill = registry.skills.get(match[1]) if match else None
    return skill if skill and skill.is_invocable else None


def build_activation_note(
    skill: Skill, view: Sequence[AnyMessage], role: RoleName, ignore: Sequence[str]
) -> HumanMessage:
    """Build the note with the whole skill, or a reminder if the model still sees it."""
    if find_loaded_skills(view).get(skill.name) == skill.digest:
        note = build_role_message(role, AGAIN.format(name=skill.name))
    else:
        note = build_role_message(role, f"{BY_USER}\n\n{render_skill(skill, ignore)}")
        mark_skills(note, {skill.name: skill.digest})
    note.additional_kwargs["synthetic"] = True
    return note


def build_change_notes(
    state: State, history: Sequence[AnyMessage], registry: SkillRegistry, role: RoleName
) -> list[HumanMessage]:
    """Build a note for each loaded skill whose file has changed; each change is said once."""
    notes = list[HumanMessage]()
    for name, digest in state.get("skills", {}).items():
        skill = registry.skills.get(name)
        if skill is None or skill.digest == digest:
            continue
        if any(_is_announced(message, skill) for message in history):
            continue
        note = build_role_message(role, CHANGED.format(name=name))
        note.additional_kwargs |= {"synthetic": True, CHANGED_SKILLS: {name: skill.digest}}
        notes.append(note)
    return notes


def _is_announced(message: AnyMessage, skill: Skill) -> bool:
    announced = message.additional_kwargs.get(CHANGED_SKILLS)
    return bool(announced) and announced.get(skill.name) == skill.digest
