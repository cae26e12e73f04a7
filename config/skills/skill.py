"""A skill, and why a folder is not one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..errors import UsageError
from ..text import text

MAX_SUMMARY_LENGTH = 100
SkillOrigin = Literal["project", "user", "built-in"]


@dataclass(frozen=True)
class Skill:
    """One skill as its file describes it."""

    name: str
    description: str
    body: str = field(repr=False)
    """The instructions: the file's text below the front matter."""
    digest: str
    """Hash of the file, to tell whether it has changed."""
    file: Path
    """Its `SKILL.md`, under the name by which it was found."""
    folder: Path
    """Its folder's real path."""
    origin: SkillOrigin
    argument_hint: str = ""
    is_listed: bool = True
    """Whether the model is told of it; without, only the user can load it by `/name`."""
    is_invocable: bool = True
    """Whether the user can load it by `/name`."""
    license: str = ""
    compatibility: str = ""
    warnings: tuple[str, ...] = ()
    """What is wrong with it, or has no effect here, as messages."""

    @property
    def summary(self) -> str:
        """The first sentence of its description, at most 100 characters."""
        first = self.description.partition(". ")[0].rstrip(".")
        return first if len(first) <= MAX_SUMMARY_LENGTH else f"{first[:MAX_SUMMARY_LENGTH]}…"


@dataclass(frozen=True)
class SkippedSkill:
    """A `SKILL.md` that cannot be used."""

    file: Path
    reason: str


@dataclass(frozen=True)
class SkillRegistry:
    """The skills in effect by name, sorted, and the files that are none."""

    skills: Mapping[str, Skill] = field(default_factory=dict[str, Skill])
    skipped: tuple[SkippedSkill, ...] = ()
    replaced: tuple[Skill, ...] = ()
    """Skills that another one of the same name replaces."""

    def find(self, name: str) -> Skill:
        """Return the skill of that name; raises UsageError with the known names."""
        if skill := self.skills.get(name):
            return skill
        raise UsageError(
            text("no skill `{name}`", name=name),
            hint=text("there are: {names}", names=", ".join(self.skills)),
        )

    @property
    def outside_folders(self) -> tuple[Path, ...]:
        """Return the folders of skills that are not the project's."""
        every = self.skills.values()
        return tuple(skill.folder for skill in every if skill.origin != "project")

    def list_replacements(self) -> list[str]:
        """Return a message for each of the user's own skills that the project's replaces."""
        return [
            text("the project's skill `{name}` replaces `{file}`", name=skill.name, file=skill.file)
            for skill in self.replaced
            if skill.origin == "user" and self.skills[skill.name].origin == "project"
        ]

    @property
    def listed(self) -> tuple[Skill, ...]:
        """Return the skills that the model is told of."""
        return tuple(skill for skill in self.skills.values() if skill.is_listed)
