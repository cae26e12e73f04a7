"""Everything alive that nodes work with, made for a thread from its folder, options and Context.

Context is plain data because Studio fills it from a form; what is alive is found here, so that the
command line and Studio run the very same nodes. Benches are kept for each event loop, since an
HTTP client belongs to the loop that opened it.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from langgraph.runtime import Runtime

from ...config import paths
from ...config.agents.definition_files import DefinitionFile, read_definition_files
from ...config.agents.profile import AgentProfile
from ...config.agents.registry import AgentRegistry, find_agents
from ...config.errors import UsageError
from ...config.instructions.discovery import Instruction, load_instructions
from ...config.settings.keys import FAR_REACHING
from ...config.settings.loader import LoadedSettings, load_settings
from ...config.settings.permission_rules import RawRule
from ...config.settings.schema import ApprovalMode, Settings
from ...config.trust.decision import Trust, check_trust
from ...memory.journal import Journal
from ...memory.snapshots.store import Snapshots
from ...memory.undo.history import FileHistory
from ...models.model_pool import ModelPool
from ...models.resolver import ResolvedModel, resolve
from ...tools.filesystem.project_snapshots import open_snapshots
from ...tools.permissions import Policy, build_policy
from ...tools.sandbox.detect import open_sandbox
from ...tools.sandbox.sandbox import Sandbox
from ...tools.workspace import Workspace
from ..context import Context
from ..state import Options

if TYPE_CHECKING:
    from .agent import Agent


@dataclass(frozen=True)
class Dependencies:
    """What a thread's nodes share while this process runs it."""

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
    """Whether the user has named it for this thread, so that no agent has one of its own."""
    from_project: tuple[str, ...]
    """What the project's own configuration says about endpoints, permissions and commands."""
    turns: int
    """Of the model, for one request of the human."""
    chat_models: ModelPool = field(default_factory=ModelPool)
    open_agents: "dict[str, Agent]" = field(default_factory=dict[str, "Agent"], init=False)
    """Whose were opened, by agent; a bench that is made of this one, with other rules, has none."""

    @property
    def trust(self) -> Trust:
        """How the folder stood when the bench was opened: what is loaded later must be in it."""
        return self.sources.trust

    def resolve_model(self, profile: AgentProfile) -> ResolvedModel:
        """The agent's own model, unless the user has named one; its own temperature anyway."""
        own = "" if self.model_named else profile.model
        found = resolve(self.settings, os.environ, own) if own else self.model
        if profile.temperature is None or found.temperature is None:  # a model may take none
            return found
        return replace(found, temperature=float(profile.temperature))

    async def close(self) -> None:
        """Close the journal and the models' connections, and stop the snapshot that runs."""
        await self.snapshots.close()
        await asyncio.to_thread(self.journal.close)  # which a cancelled call may still be using
        await self.chat_models.close()


@dataclass(frozen=True)
class DependencySources:
    """What a bench is made of; when that has changed, the next run gets another one."""

    trust: Trust
    loaded: LoadedSettings
    agents: tuple[DefinitionFile, ...]
    """The files of agents that are not built in."""
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True)
class _DependencyKey:
    """What a workbench is made for."""

    folder: str
    home: str
    mode: str
    model: str
    base_url: str
    files: tuple[str, ...]
    backup: bool | None
    plan: str
    """The plan's path, in plan mode."""
    speaker: str
    """The profile that speaks in a conversation; empty in other jobs."""


@dataclass(frozen=True)
class _DependencyCache:
    """Those of one event loop."""

    current: dict[_DependencyKey, Dependencies] = field(
        default_factory=dict[_DependencyKey, Dependencies]
    )
    replaced: list[Dependencies] = field(default_factory=list[Dependencies])
    """Another thread may still be at work on them, so they are closed last."""


_CACHES: WeakKeyDictionary[asyncio.AbstractEventLoop, _DependencyCache] = WeakKeyDictionary()


async def open_dependencies(folder: str, options: Options, context: Context | None) -> Dependencies:
    """The workbench of a thread; raises UsageError for a wrong folder, configuration, endpoint."""
    context = context or Context()
    wish = _build_key(folder, options, context)
    benches = _CACHES.setdefault(asyncio.get_running_loop(), _DependencyCache()).current
    if wish in benches:
        return benches[wish]
    opened = await asyncio.to_thread(_create_dependencies, wish, context)
    kept = benches.setdefault(wish, opened)
    if kept is not opened:  # somebody else was faster
        await opened.close()
    else:
        kept.snapshots.start_background()
    return kept


async def reload_if_changed(folder: str) -> None:
    """Put away the folder's benches whose configuration, agents and such are others by now.

    For where a run begins; until it ends it goes on with what was loaded then.
    """
    benches = _CACHES.get(asyncio.get_running_loop(), _DependencyCache())
    here = [(wish, bench) for wish, bench in benches.current.items() if wish.folder == folder]
    for wish, bench in here:
        try:
            now = await asyncio.to_thread(_load_sources, wish)
        except UsageError:  # who opens the next one is told
            now = None
        if bench.sources != now and benches.current.get(wish) is bench:
            benches.replaced.append(benches.current.pop(wish))


def add_session_rules(rules: Sequence[str]) -> None:
    """Let the open benches of the running loop know what the user allows from now on.

    A run goes on with what was loaded when it began, so these are added to that.
    """
    benches = _CACHES.get(asyncio.get_running_loop(), _DependencyCache())
    for wish, bench in benches.current.items():
        origin = str(paths.locate_user_config(bench.home))
        written = [RawRule("allow", rule, origin) for rule in rules]
        policy = bench.policy.with_rules(written, bench.workspace)
        benches.current[wish] = replace(bench, policy=policy)


async def close_dependencies() -> None:
    """Close every workbench of the running loop."""
    benches = _CACHES.pop(asyncio.get_running_loop(), _DependencyCache())
    for bench in (*benches.current.values(), *benches.replaced):
        await bench.close()


def locate_outputs(bench: Dependencies, runtime: Runtime[Context]) -> Path:
    """Where whole outputs of this thread's commands are kept."""
    return paths.locate_outputs(bench.home, get_thread_id(runtime))


def locate_backups(bench: Dependencies, runtime: Runtime[Context]) -> Path | None:
    """Where this thread's tools keep what they overwrite; None where that is not configured."""
    wanted = bench.settings.tools.backup
    return paths.locate_backups(bench.home, get_thread_id(runtime)) if wanted else None


def get_thread_id(runtime: Runtime[Context]) -> str:
    """The id of the running thread; `none` for a graph that runs without a checkpointer."""
    info = runtime.execution_info
    return (info.thread_id if info else None) or "none"


def _build_key(folder: str, options: Options, context: Context) -> _DependencyKey:
    return _DependencyKey(
        folder=folder,
        home=context.home,
        mode=context.mode or options.get("mode", ""),
        model=context.model or options.get("turn_model") or options.get("model", ""),
        base_url=context.base_url or options.get("base_url", ""),
        files=tuple(options.get("files", ())),
        backup=options.get("backup"),
        plan=options.get("plan_file", "") if options.get("plan") else "",
        speaker=options.get("speaker") or options.get("agent", ""),
    )


def _create_dependencies(wish: _DependencyKey, context: Context) -> Dependencies:
    root = Path(wish.folder)
    if not root.is_absolute() or not os.path.isdir(root):
        raise UsageError(f"`{root}` is not a folder", hint="give the project's absolute path")
    home, sources = _resolve_home(wish), _load_sources(wish)
    loaded, settings = sources.loaded, sources.loaded.settings
    workspace = Workspace(root.resolve(), tuple(settings.security.ignore_patterns), home)
    policy = build_policy(loaded, workspace, usual=_get_default_mode(wish), scope=wish.files)
    policy = replace(policy, mode=context.restrict_mode(policy.mode))
    context.check_endpoint(settings.litellm.base_url)
    sandbox = open_sandbox(settings.sandbox, workspace, home)
    snapshots = open_snapshots(root, home, settings)
    policy = policy.with_safeguards(settings, sandbox, snapshots)
    bench = Dependencies(
        settings=settings,
        workspace=workspace,
        policy=policy.with_plan(wish.plan) if wish.plan else policy,
        sandbox=sandbox,
        journal=Journal(paths.locate_database(home)),
        snapshots=snapshots,
        history=FileHistory(paths.locate_database(home)),
        home=home,
        sources=sources,
        agents=find_agents(root, home, sources.trust),
        model=resolve(settings, os.environ),
        model_named=bool(wish.model),
        from_project=_list_project_keys(loaded, root),
        turns=settings.model.max_iterations,
    )
    speaks = bench.agents.profiles.get(wish.speaker)  # none of that name is told when it speaks
    return replace(bench, model=bench.resolve_model(speaks)) if speaks else bench


def _resolve_home(wish: _DependencyKey) -> Path:
    return Path(wish.home) if wish.home else paths.locate_home()


def _load_sources(wish: _DependencyKey) -> DependencySources:
    root, home = Path(wish.folder), _resolve_home(wish)
    _validate_folder(root)
    trust = check_trust(root, home)
    loaded = load_settings(root, home, flags=_build_flags(wish), trust=trust)
    told = load_instructions(root, home, trust, loaded.settings.security.ignore_patterns)
    return DependencySources(
        trust, loaded, tuple(read_definition_files("agents", root, home, trust)), told
    )


def _validate_folder(root: Path) -> None:
    """A thread's folder is kept by its real name: a link there was put in its place since."""
    real = Path(os.path.realpath(root))
    if root.is_absolute() and real != Path(os.path.normpath(root)):
        raise UsageError(
            f"`{root}` is a link now, or lies behind one: it leads to `{real}`",
            hint="put the folder back; or begin with its real name; or take the thread there with"
            " `mcode threads export` and `import`",
        )


def _get_default_mode(wish: _DependencyKey) -> ApprovalMode:
    """The mode where nobody names one: conversations, and edits of named files, ask first.

    A task does not: whatever it did is reviewed at its end.
    """
    return "ask" if wish.files or wish.speaker else "edits"


def _build_flags(wish: _DependencyKey) -> dict[str, object]:
    texts = {
        "security.mode": wish.mode,
        "model.default": wish.model,
        "litellm.base_url": wish.base_url,
    }
    given: dict[str, object] = {key: value for key, value in texts.items() if value}
    if wish.backup is not None:
        given["tools.backup"] = wish.backup
    # an endpoint named for this run is not tied to the provider that the configuration names
    return {**given, "litellm.provider": ""} if wish.base_url else given


def _list_project_keys(loaded: LoadedSettings, root: Path) -> tuple[str, ...]:
    file = f"{paths.locate_project_config(root)}:"
    return tuple(
        key
        for key, origin in loaded.origins.items()
        if origin.startswith(file) and key.startswith(FAR_REACHING)
    )
