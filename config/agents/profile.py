"""An agent: its prompt, tools and limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ..settings.permission_rules import RawRule

# primary: talks to the user · subagent: another agent starts it · all: either
AgentMode = Literal["primary", "subagent", "all"]
# The strictest approval modes, without the loosest
ModeLimit = Literal["", "read-only", "ask", "edits"]

FilePermission = Literal["allow", "read-only", "deny"]

ALL_TOOLS = ("*",)


@dataclass(frozen=True)
class AgentProfile:
    """One agent, as a Markdown file describes it."""

    name: str
    description: str
    system_prompt: str
    """Its prompt: the file's text below the front matter."""
    mode: AgentMode = "all"
    model: str = ""
    """`PROVIDER/MODEL` or `MODEL`; empty: the thread's."""
    temperature: float | None = None
    """None: the model's."""
    allowed_tools: Sequence[str] = ALL_TOOLS
    """As written, aliases too; `*` means all tools that no graph reserves."""
    denied_tools: Sequence[str] = ()
    """Tools that it does not get, even if `allowed_tools` lists them."""
    skills: tuple[str, ...] = ()
    """Skills that it has in full from the beginning."""
    permissions: tuple[RawRule, ...] = ()
    """Its own rules; a project's agent has no `allow` rules."""
    writable_files: tuple[str, ...] = ()
    """Patterns of the only files it may write; empty: any."""
    max_steps: int = 0
    """Model turns for one request; 0: as configured."""
    origin: str = "built-in"
    """Its file, or `built-in`."""
    mode_limit: ModeLimit = ""
    """The approval mode that it works in where the thread's is looser; empty: the thread's."""
    isolation: Literal["", "worktree"] = ""
    """`worktree`: as a sub-agent it changes a copy of the project, which is merged back."""
    hidden: bool = False
    """Left out of lists: part of one graph, not to be chosen."""
    notes: tuple[str, ...] = ()
    """Parts of its file that have no effect, `FILE:LINE: why`."""
    lines: dict[str, int] = field(default_factory=dict[str, int], compare=False)
    """The line of each key in the file."""
    file_permissions: Mapping[str, FilePermission] = field(
        default_factory=dict[str, "FilePermission"], compare=False
    )
    """What a program's agent may do with files, by pattern, of which the most specific wins:
    `{"docs/**": "allow", "*": "read-only"}`."""
    under: "AgentProfile | None" = None
    """The agent whose limits still apply: the one that a project's replaces; for a sub-agent its
    parent."""

    @property
    def limits(self) -> tuple["AgentProfile", ...]:
        """The profiles whose restrictions apply together: its own, and those it replaces."""
        return (self, *(self.under.limits if self.under else ()))

    @property
    def rules(self) -> tuple[RawRule, ...]:
        """All rules in force: its own, and the deny and ask rules of those it replaces."""
        below = self.under.rules if self.under else ()
        return (*self.permissions, *(rule for rule in below if rule.kind != "allow"))

    @property
    def steps(self) -> int:
        """The lowest limit of model turns; 0: none of its own."""
        return min((limit.max_steps for limit in self.limits if limit.max_steps), default=0)

    def with_parent(self, parent: "AgentProfile") -> "AgentProfile":
        """Return the same agent as a sub-agent of `parent`: its parent's limits apply, too."""
        return replace(self, under=self.under.with_parent(parent) if self.under else parent)

    def locate_key(self, key: str) -> str:
        """`FILE:LINE` of a key."""
        return f"{self.origin}:{self.lines[key]}" if key in self.lines else self.origin
