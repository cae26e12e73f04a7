"""Everything alive that nodes work with, made for a thread from its folder, options and Context.

Context is plain data because Studio fills it from a form; what is alive is found here, so that the
command line and Studio run the very same nodes. Benches are kept for each event loop, since an
HTTP client belongs to the loop that opened it.
"""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from ..config import paths
from ..config.agent_profile import AgentProfile
from ..config.agent_profiles import Agents, find_agents
from ..config.errors import UsageError
from ..config.keys import FAR_REACHING
from ..config.loading import Loaded, load
from ..config.rules import WrittenRule
from ..config.settings import Mode, Settings
from ..config.trust import Trust, trust_of
from ..memory.file_history import FileHistory
from ..memory.journal import Journal
from ..memory.snapshots import Snapshots
from ..models.registry import close_model, open_model
from ..models.resolve import ResolvedModel, resolve
from ..tools.agent_tools import tools_of
from ..tools.permissions import Policy, policy_for
from ..tools.plan_file import PLANS
from ..tools.sandbox.opening import open_sandbox
from ..tools.sandbox.sandbox import Sandbox
from ..tools.workspace import Workspace
from .context import Context
from .prompt import system_prompt
from .state import Options

Model = Runnable[LanguageModelInput, AIMessage]


@dataclass(frozen=True)
class Voice:
    """An agent ready to speak: its prompt, its tools and its model."""

    system: SystemMessage
    tools: Mapping[str, BaseTool]
    chat_model: BaseChatModel
    model: Model
    """The chat model that knows the tools."""
    resolved: ResolvedModel


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
    trust: Trust
    """How the folder stood when the bench was opened: what is loaded later must be in it."""
    agents: Agents
    model: ResolvedModel
    model_named: bool
    """Whether the user has named it for this thread, so that no agent has one of its own."""
    from_project: tuple[str, ...]
    """What the project's own configuration says about endpoints, permissions and commands."""
    voices: dict[str, Voice] = field(default_factory=dict[str, Voice])

    def voice(self, name: str) -> Voice:
        """The voice of an agent, opened when it first speaks; raises UsageError for none."""
        if name not in self.voices:
            self.voices[name] = _open_voice(self, name)
        return self.voices[name]

    def spoken_by(self, name: str) -> "Workbench":
        """The same as one agent finds it: its model and limit of turns, under its own rules."""
        profile = self.agents.find(name)
        turns = min(self.settings.model.max_iterations, profile.steps or sys.maxsize)
        limited = self.settings.model.model_copy(update={"max_iterations": turns})
        return replace(
            self,
            settings=self.settings.model_copy(update={"model": limited}),
            policy=self.policy.under(profile, self.workspace),
            model=_model_of(self, profile),
        )

    async def close(self) -> None:
        """Close the journal and the models' connections."""
        self.journal.close()
        for voice in self.voices.values():
            await close_model(voice.chat_model)


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
    """The workbench of a thread; raises UsageError for a wrong folder or configuration."""
    wish = _wish(folder, options, context or Context())
    benches = _BENCHES.setdefault(asyncio.get_running_loop(), _Benches()).current
    if wish not in benches:
        benches[wish] = await asyncio.to_thread(_open, wish)
    return benches[wish]


async def look_again() -> None:
    """Put away benches whose folder stands otherwise by now; for where a run begins.

    Until it ends a run goes on with what was loaded then.
    """
    benches = _BENCHES.get(asyncio.get_running_loop(), _Benches())
    for wish, bench in list(benches.current.items()):
        now = await asyncio.to_thread(trust_of, Path(wish.folder), bench.home)
        if bench.trust != now and benches.current.get(wish) is bench:
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


def _open(wish: _Wish) -> Workbench:
    root = Path(wish.folder)
    if not root.is_absolute() or not os.path.isdir(root):
        raise UsageError(f"`{root}` is not a folder", hint="name the project's absolute path")
    home = Path(wish.home) if wish.home else paths.home()
    trust = trust_of(root, home)
    loaded = load(root, home, flags=_flags(wish), trust=trust)
    settings = loaded.settings
    workspace = Workspace(root.resolve(), tuple(settings.security.ignore_patterns), home)
    # a job on named files changes only them
    usual: Mode = "ask" if wish.files or wish.speaker else "edits"
    policy = policy_for(loaded, workspace, usual=usual, scope=wish.files)
    bench = Workbench(
        settings=settings,
        workspace=workspace,
        policy=policy.planning(wish.plan) if wish.plan else policy,
        sandbox=open_sandbox(settings.sandbox, workspace, home),
        journal=Journal(paths.database(home)),
        snapshots=_open_snapshots(root, home, settings),
        history=FileHistory(paths.database(home)),
        home=home,
        trust=trust,
        agents=find_agents(root, home, trust),
        model=resolve(settings, os.environ),
        model_named=bool(wish.model),
        from_project=_from_project(loaded, root),
    )
    speaks = bench.agents.profiles.get(wish.speaker)  # none of that name is told when it speaks
    return replace(bench, model=_model_of(bench, speaks)) if speaks else bench


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


def _open_snapshots(root: Path, home: Path, settings: Settings) -> Snapshots:
    """Plans are not of the files that a thread changes: an undo leaves them."""
    store = paths.data_folder(home) / "snapshots"
    return Snapshots(root.resolve(), store, (*settings.security.ignore_patterns, f"/{PLANS}/"))


def _open_voice(bench: Workbench, name: str) -> Voice:
    profile = bench.agents.find(name)
    tools = tools_of(profile, bench.settings.tools, planning=bool(bench.policy.plan))
    resolved = _model_of(bench, profile)
    chat_model = _chat_model(bench, resolved, name)
    return Voice(
        system=system_prompt(profile, str(bench.workspace.root), bench.settings.agents),
        tools={tool.name: tool for tool in tools},
        chat_model=chat_model,
        model=chat_model.bind_tools(tools),
        resolved=resolved,
    )


def _model_of(bench: Workbench, profile: AgentProfile) -> ResolvedModel:
    """The agent's own model, unless the user has named one; its own temperature anyway."""
    own = "" if bench.model_named else profile.model
    found = resolve(bench.settings, os.environ, own) if own else bench.model
    if profile.temperature is None or found.temperature is None:  # a model may take none
        return found
    return replace(found, temperature=float(profile.temperature))


def _chat_model(bench: Workbench, resolved: ResolvedModel, name: str) -> BaseChatModel:
    """One for all agents of a model, so that they share connections; of a script, one for each."""
    opened = [voice.chat_model for voice in bench.voices.values() if voice.resolved == resolved]
    if opened and resolved.provider.name != "scripted":
        return opened[0]
    return open_model(resolved, role=name)
