"""The skills that a call may load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...config.skills.skill import SkillRegistry


@dataclass(frozen=True)
class SkillAccess:
    """What the tool `get_skill` works with."""

    registry: SkillRegistry
    loaded: Mapping[str, str] = field(default_factory=dict[str, str])
    """The skills that the model still sees in full, and the hash of each."""
    ignore: Sequence[str] = ()
    """Patterns of files that no tool may list."""
