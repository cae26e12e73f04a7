"""An agent: who speaks, with which words, tools and limits."""

from dataclasses import dataclass, field
from typing import Literal

from ..settings.permission_rules import RawRule

# primary: speaks with the human · subagent: is sent by another agent · all: either
AgentMode = Literal["primary", "subagent", "all"]

ALL_TOOLS = ("*",)


@dataclass(frozen=True)
class AgentProfile:
    """One agent, as a Markdown file describes it."""

    name: str
    description: str
    prompt: str
    """Its words: the file's text below the front matter."""
    mode: AgentMode = "all"
    model: str = ""
    """`PROVIDER/MODEL` or `MODEL`; empty: the thread's."""
    temperature: float | None = None
    """None: the model's."""
    tools: tuple[str, ...] = ALL_TOOLS
    """As they are written, aliases too; `*` are all that no graph keeps for itself."""
    denied_tools: tuple[str, ...] = ()
    """These it is not offered, whatever `tools` says."""
    permissions: tuple[RawRule, ...] = ()
    """Its own rules; a project's agent has none that allow."""
    files: tuple[str, ...] = ()
    """Patterns of the only files it may write; empty: any."""
    max_steps: int = 0
    """Model turns for one request; 0: as configured."""
    origin: str = "built-in"
    """Its file, or `built-in`."""
    hidden: bool = False
    """Left out of lists: a part of one graph, nothing to choose."""
    notes: tuple[str, ...] = ()
    """What of its file does not count here, `FILE:LINE: why`."""
    lines: dict[str, int] = field(default_factory=dict[str, int], compare=False)
    """Where each key stands in the file."""
    under: "AgentProfile | None" = None
    """The user's own or built-in agent whose name a project's takes: its limits stay in force."""

    @property
    def limits(self) -> tuple["AgentProfile", ...]:
        """The profiles whose restrictions hold together: its own, and those it stands under."""
        return (self, *(self.under.limits if self.under else ()))

    @property
    def rules(self) -> tuple[RawRule, ...]:
        """All rules in force: its own, and what those it stands under deny or ask."""
        below = self.under.rules if self.under else ()
        return (*self.permissions, *(rule for rule in below if rule.kind != "allow"))

    @property
    def steps(self) -> int:
        """The lowest limit of model turns; 0: none of its own."""
        return min((one.max_steps for one in self.limits if one.max_steps), default=0)

    def locate_key(self, key: str) -> str:
        """`FILE:LINE` of a key."""
        return f"{self.origin}:{self.lines[key]}" if key in self.lines else self.origin
