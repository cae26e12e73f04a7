"""Dependencies of a thread's nodes: settings, policy, journal, snapshots, models, agents."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...config import paths
from ...config.agents.definition_files import DefinitionFile
from ...config.agents.profile import AgentProfile
from ...config.agents.registry import AgentRegistry
from ...config.instructions.discovery import Instruction
from ...config.settings.hooks import ConfiguredHook
from ...config.settings.loader import LoadedSettings
from ...config.settings.schema import Endpoint, Settings
from ...config.skills.skill import SkillRegistry
from ...config.trust.decision import Trust
from ...memory.journal import Journal
from ...memory.snapshots.store import Snapshots
from ...memory.undo.history import FileHistory
from ...models.factory import ModelPool
from ...models.providers import find_provider
from ...models.resolver import ResolvedModel, choose_provider, resolve
from ...tools.permissions.policy import Policy
from ...tools.sandbox.sandbox import Sandbox
from ...tools.workspace import Workspace
from ..messages.images import ImageCache

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ...tools.mcp.mcp_access import McpAccess
    from ...tools.mcp.server_config import McpServer
    from .agent import Agent


@dataclass(frozen=True)
class Dependencies:
    """Open objects that the nodes of a thread share."""

    settings: Settings
    workspace: Workspace
    policy: Policy
    sandbox: Sandbox
    journal: Journal
    snapshots: Snapshots
    history: FileHistory
    home: Path
    sources: "DependencySources"
    agents: AgentRegistry
    model: ResolvedModel
    model_named: bool
    """Whether the user named a model for this thread; it then overrides the agents' own."""
    from_project: tuple[str, ...]
    """The project's own settings about endpoints, permissions and commands."""
    turns: int
    """Most model turns for one request of the user."""
    mcp: "McpAccess | None" = None
    """The MCP servers of the project; None: there are none."""
    program_tools: "tuple[BaseTool, ...]" = ()
    """Tools of the program that embeds MaxAgent."""
    program_hooks: tuple[ConfiguredHook, ...] = ()
    chat_models: ModelPool = field(default_factory=ModelPool)
    images: ImageCache = field(default_factory=ImageCache)
    open_agents: "dict[tuple[str, ...], Agent]" = field(
        default_factory=dict[tuple[str, ...], "Agent"], init=False
    )
    """Opened agents by name, thinking model, fallback and offer of MCP servers; a `replace` with
    other rules starts without any."""

    @property
    def skills(self) -> SkillRegistry:
        """The skills in effect when it was opened."""
        return self.sources.skills

    @property
    def hooks(self) -> Sequence[ConfiguredHook]:
        """The hooks of all events, mostly none."""
        return (*self.sources.loaded.hooks, *self.program_hooks)

    @property
    def trust(self) -> Trust:
        """Trust in the folder when it was opened; files loaded later must be covered by it."""
        return self.sources.trust

    def resolve_model(self, profile: AgentProfile, thinking_model: str = "") -> ResolvedModel:
        """Return the agent's own model unless the user named one; always its own temperature.

        `thinking_model` takes the place of the configured model alone.
        """
        own = "" if self.model_named else profile.model or thinking_model
        model = resolve(self.settings, build_environ(self.home), own) if own else self.model
        if profile.temperature is None or model.temperature is None:  # the model may not accept one
            return model
        return replace(model, temperature=float(profile.temperature))

    def with_fallback(self, spec: str) -> "Dependencies":
        """Return the same with another model; raises UsageError if it cannot be asked.

        A provider of its own gets neither endpoint nor key nor headers of the configured one.
        """
        settings, provider = self.settings, find_provider(spec.partition("/")[0])
        environ = build_environ(self.home)
        chosen = choose_provider(settings, environ, spec)
        if provider and chosen.name != self.model.provider.name:
            own = Endpoint(timeout=settings.litellm.timeout)
            settings = settings.model_copy(update={"litellm": own})
        return replace(self, model=resolve(settings, environ, spec), model_named=True)

    def locate_outputs(self, thread_id: str) -> Path:
        """Return the folder for full outputs of the thread's commands."""
        return paths.locate_outputs(self.home, thread_id)

    def locate_backups(self, thread_id: str) -> Path | None:
        """Return the folder for files that the thread's tools overwrite; None if not configured."""
        has_backups = self.settings.tools.backup
        return paths.locate_backups(self.home, thread_id) if has_backups else None

    async def share_snapshot(self, thread_id: str, tree: str) -> None:
        """Copy a snapshot and the thread's outputs to where other machines find them."""
        await self.snapshots.share(thread_id, tree, self.locate_outputs(thread_id))

    async def find_last_entry(self, thread_id: str) -> int:
        """Return the number of the last entry of the thread's file history; 0 before the first."""
        last = await asyncio.to_thread(self.history.get_last_entry, thread_id)
        return last.number if last else 0

    async def close(self) -> None:
        """Close the journal and the models' connections; stop the background snapshot."""
        await self.snapshots.close()
        if self.mcp:
            await self.mcp.close()
        await asyncio.to_thread(self.journal.close)  # a cancelled call may still be using it
        await self.chat_models.close()


def build_environ(home: Path) -> Mapping[str, str]:
    """Return the environment in which the keys stored in this home folder are found."""
    return {**os.environ, "MAXAGENT_HOME": str(home)}


@dataclass(frozen=True)
class DependencySources:
    """The files that dependencies are loaded from; the next run reloads them when they change."""

    trust: Trust
    loaded: LoadedSettings
    agents: tuple[DefinitionFile, ...]
    """Files of agents that are not built in."""
    instructions: tuple[Instruction, ...]
    skills: SkillRegistry = field(default_factory=SkillRegistry, repr=False)
    keys: tuple[str, ...] = field(default=(), repr=False)
    """The stored keys and logins."""
    servers: "tuple[McpServer, ...]" = field(default=(), repr=False)
    """The MCP servers that the user and the trusted project define."""
    folders: tuple[Path, ...] = ()
    """Folders outside the project that a client lets tools read."""
