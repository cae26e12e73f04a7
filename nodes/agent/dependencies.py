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
from ...config.agents.definition_files import OwnFile, own_files
from ...config.agents.profile import AgentProfile
from ...config.agents.registry import Agents, find_agents
from ...config.errors import UsageError
from ...config.instructions.discovery import Instruction, instructions
from ...config.settings.keys import FAR_REACHING
from ...config.settings.loader import Loaded, load
from ...config.settings.permission_rules import WrittenRule
from ...config.settings.schema import Mode, Settings
from ...config.trust.decision import Trust, trust_of
from ...memory.journal import Journal
from ...memory.snapshots.store import Snapshots
from ...memory.undo.history import FileHistory
from ...models.model_pool import OpenModels
from ...models.resolver import ResolvedModel, resolve
from ...tools.filesystem.project_snapshots import open_snapshots
from ...tools.permissions import Policy, policy_for
from ...tools.sandbox.detect import open_sandbox
from ...tools.sandbox.sandbox import Sandbox
from ...tools.workspace import Workspace
from ..context import Context
from ..state import Options

if TYPE_CHECKING:
    from .agent import Voice


@dataclass(frozen=True)
class Workbench:
    """What a thread's nodes share while this process runs it."""

    settings: Settings
    workspace: Workspace
    policy: Policy
    sandbox: Sandbox
    journal: Journal
    snapshots: Snapshots
    history: FileHistory
    home: Path
    sources: "Sources"
    agents: Agents
    model: ResolvedModel
    model_named: bool
    """Whether the user has named it for this thread, so that no agent has one of its own."""
    from_project: tuple[str, ...]
    """What the project's own configuration says about endpoints, permissions and commands."""
    turns: int
    """Of the model, for one request of the human."""
    chat_models: OpenModels = field(default_factory=OpenModels)
    voices: "dict[str, Voice]" = field(default_factory=dict[str, "Voice"], init=False)
    """Whose were opened, by agent; a bench that is made of this one, with other rules, has none."""

    @property
    def trust(self) -> Trust:
        """How the folder stood when the bench was opened: what is loaded later must be in it."""
        return self.sources.trust

    def model_for(self, profile: AgentProfile) -> ResolvedModel:
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
class Sources:
    """What a bench is made of; when that has changed, the next run gets another one."""

    trust: Trust
    loaded: Loaded
    agents: tuple[OwnFile, ...]
    """The files of agents that are not built in."""
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True)
class _Wish:
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
class _Benches:
    """Those of one event loop."""

    current: dict[_Wish, Workbench] = field(default_factory=dict[_Wish, Workbench])
    replaced: list[Workbench] = field(default_factory=list[Workbench])
    """Another thread may still be at work on them, so they are closed last."""


_BENCHES: WeakKeyDictionary[asyncio.AbstractEventLoop, _Benches] = WeakKeyDictionary()


async def workbench(folder: str, options: Options, context: Context | None) -> Workbench:
    """The workbench of a thread; raises UsageError for a wrong folder, configuration, endpoint."""
    context = context or Context()
    wish = _wish(folder, options, context)
    benches = _BENCHES.setdefault(asyncio.get_running_loop(), _Benches()).current
    if wish in benches:
        return benches[wish]
    opened = await asyncio.to_thread(_open, wish, context)
    kept = benches.setdefault(wish, opened)
    if kept is not opened:  # somebody else was faster
        await opened.close()
    else:
        kept.snapshots.begin()
    return kept


async def look_again(folder: str) -> None:
    """Put away the folder's benches whose configuration, agents and such are others by now.

    For where a run begins; until it ends it goes on with what was loaded then.
    """
    benches = _BENCHES.get(asyncio.get_running_loop(), _Benches())
    here = [(wish, bench) for wish, bench in benches.current.items() if wish.folder == folder]
    for wish, bench in here:
        try:
            now = await asyncio.to_thread(_sources, wish)
        except UsageError:  # who opens the next one is told
            now = None
        if bench.sources != now and benches.current.get(wish) is bench:
            benches.replaced.append(benches.current.pop(wish))


def learn(rules: Sequence[str]) -> None:
    """Let the open benches of the running loop know what the user allows from now on.

    A run goes on with what was loaded when it began, so these are added to that.
    """
    benches = _BENCHES.get(asyncio.get_running_loop(), _Benches())
    for wish, bench in benches.current.items():
        origin = str(paths.user_config(bench.home))
        written = [WrittenRule("allow", rule, origin) for rule in rules]
        policy = bench.policy.extended(written, bench.workspace)
        benches.current[wish] = replace(bench, policy=policy)


async def close_workbenches() -> None:
    """Close every workbench of the running loop."""
    benches = _BENCHES.pop(asyncio.get_running_loop(), _Benches())
    for bench in (*benches.current.values(), *benches.replaced):
        await bench.close()


def outputs_folder(bench: Workbench, runtime: Runtime[Context]) -> Path:
    """Where whole outputs of this thread's commands are kept."""
    return paths.outputs_folder(bench.home, thread_id(runtime))


def backups_folder(bench: Workbench, runtime: Runtime[Context]) -> Path | None:
    """Where this thread's tools keep what they overwrite; None where that is not configured."""
    wanted = bench.settings.tools.backup
    return paths.backups_folder(bench.home, thread_id(runtime)) if wanted else None


def thread_id(runtime: Runtime[Context]) -> str:
    """The id of the running thread; `none` for a graph that runs without a checkpointer."""
    info = runtime.execution_info
    return (info.thread_id if info else None) or "none"


def _wish(folder: str, options: Options, context: Context) -> _Wish:
    return _Wish(
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


def _open(wish: _Wish, context: Context) -> Workbench:
    root = Path(wish.folder)
    if not root.is_absolute() or not os.path.isdir(root):
        raise UsageError(f"`{root}` is not a folder", hint="give the project's absolute path")
    home, sources = _home(wish), _sources(wish)
    loaded, settings = sources.loaded, sources.loaded.settings
    workspace = Workspace(root.resolve(), tuple(settings.security.ignore_patterns), home)
    policy = policy_for(loaded, workspace, usual=_usual_mode(wish), scope=wish.files)
    policy = replace(policy, mode=context.strictest(policy.mode))
    context.check_endpoint(settings.litellm.base_url)
    sandbox = open_sandbox(settings.sandbox, workspace, home)
    snapshots = open_snapshots(root, home, settings)
    policy = policy.guarded(settings, sandbox, snapshots)
    bench = Workbench(
        settings=settings,
        workspace=workspace,
        policy=policy.planning(wish.plan) if wish.plan else policy,
        sandbox=sandbox,
        journal=Journal(paths.database(home)),
        snapshots=snapshots,
        history=FileHistory(paths.database(home)),
        home=home,
        sources=sources,
        agents=find_agents(root, home, sources.trust),
        model=resolve(settings, os.environ),
        model_named=bool(wish.model),
        from_project=_from_project(loaded, root),
        turns=settings.model.max_iterations,
    )
    speaks = bench.agents.profiles.get(wish.speaker)  # none of that name is told when it speaks
    return replace(bench, model=bench.model_for(speaks)) if speaks else bench


def _home(wish: _Wish) -> Path:
    return Path(wish.home) if wish.home else paths.home()


def _sources(wish: _Wish) -> Sources:
    root, home = Path(wish.folder), _home(wish)
    _refuse_link(root)
    trust = trust_of(root, home)
    loaded = load(root, home, flags=_flags(wish), trust=trust)
    told = instructions(root, home, trust, loaded.settings.security.ignore_patterns)
    return Sources(trust, loaded, tuple(own_files("agents", root, home, trust)), told)


def _refuse_link(root: Path) -> None:
    """A thread's folder is kept by its real name: a link there was put in its place since."""
    real = Path(os.path.realpath(root))
    if root.is_absolute() and real != Path(os.path.normpath(root)):
        raise UsageError(
            f"`{root}` is a link now, or lies behind one: it leads to `{real}`",
            hint="put the folder back; or begin with its real name; or take the thread there with"
            " `mcode threads export` and `import`",
        )


def _usual_mode(wish: _Wish) -> Mode:
    """The mode where nobody names one: conversations, and edits of named files, ask first.

    A task does not: whatever it did is reviewed at its end.
    """
    return "ask" if wish.files or wish.speaker else "edits"


def _flags(wish: _Wish) -> dict[str, object]:
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


def _from_project(loaded: Loaded, root: Path) -> tuple[str, ...]:
    file = f"{paths.project_config(root)}:"
    return tuple(
        key
        for key, origin in loaded.origins.items()
        if origin.startswith(file) and key.startswith(FAR_REACHING)
    )
