"""Pool of dependencies: opened once for a thread's folder, options and Context, then reused."""

import asyncio
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...config import paths
from ...config.agents.definition_files import read_definition_files
from ...config.agents.registry import find_agents
from ...config.errors import UsageError
from ...config.instructions.discovery import load_instructions
from ...config.settings.hooks import ConfiguredHook
from ...config.settings.keys import ADDING_UP, FAR_REACHING, iter_leaves, join_key
from ...config.settings.loader import LoadedSettings, load_settings
from ...config.settings.schema import ApprovalMode, Settings
from ...config.skills.discovery import find_skills
from ...config.text import text
from ...config.trust.decision import Trust, check_trust
from ...config.trust.inventory import PLACES
from ...memory.journal import Journal
from ...memory.undo.history import FileHistory
from ...memory.worktrees.record import find_origins, find_worktree
from ...models.auth.credentials import remember_credentials
from ...models.factory import ModelPool
from ...models.resolver import ResolvedModel, resolve
from ...tools.filesystem.project_snapshots import open_snapshots
from ...tools.mcp.elicitation import Elicitation
from ...tools.permissions.policy import build_policy
from ...tools.process.background_pool import BackgroundPool
from ...tools.sandbox.detect import open_sandbox
from ...tools.sandbox.sandbox import Sandbox
from ...tools.workspace import Workspace
from ..options import Options
from .dependencies import Dependencies, DependencySources, build_environ

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.tools import BaseTool

    from ...tools.mcp.connections import McpConnections
    from ...tools.mcp.mcp_access import McpAccess
    from ...tools.mcp.server_config import McpServer
    from ..children.slots import ChildSlots
    from .context import Context


@dataclass(frozen=True)
class _DependencyKey:
    """Everything that dependencies depend on."""

    folder: str
    home: str
    mode: str
    model: str
    served_model: str
    base_url: str
    files: tuple[str, ...]
    backup: bool | None
    plan: str
    """The plan's path, in plan mode."""
    speaker: str
    """The active profile of a conversation; empty in other jobs."""
    tests_only: bool
    """Whether only test files may be changed."""


class ClientOffer(NamedTuple):
    """What a client gives to the runs in a folder, until it gives something else."""

    servers: "tuple[McpServer, ...]" = ()
    """MCP servers."""
    folders: tuple[Path, ...] = ()
    """Real folders outside the project that tools may read."""


class DependencyPool:
    """The dependencies of a Runner's threads, or of one Studio run, by key.

    It belongs to one event loop, since an HTTP client belongs to the loop that opened it.
    """

    def __init__(
        self,
        program_tools: "tuple[BaseTool, ...]" = (),
        program_model: "BaseChatModel | None" = None,
        program_hooks: tuple[ConfiguredHook, ...] = (),
    ) -> None:
        """Build it; every agent that may call servers' tools gets the program's tools, too."""
        self._program_tools, self._program_model = program_tools, program_model
        self._program_hooks = program_hooks
        self.program_model_name = ""
        """`program/NAME` of the program's chat model; empty: it has given none."""
        if program_model is not None:
            from ...models.program.program_model import name_program_model

            self.program_model_name = name_program_model(program_model)
        self._opened: dict[_DependencyKey, Dependencies] = {}
        self._replaced: list[tuple[str, Dependencies]] = []
        """Each with its folder."""
        self.background = BackgroundPool()
        """The threads' background commands, which end with the pool."""
        self.child_slots: dict[str, ChildSlots] = {}
        """The places of each thread's sub-agents, while it runs."""
        self._connections: dict[Path, McpConnections] = {}
        self.client_offers: dict[str, ClientOffer] = {}
        """What a client, as an editor, gives to the runs in a folder."""
        self.elicitation = Elicitation()
        """Set its `ask` to answer what MCP servers ask while a call runs."""

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is open, as before the first run and after `close`."""
        return not (self._opened or self._replaced)

    async def open(self, folder: str, options: Options, context: "Context") -> Dependencies:
        """Return the dependencies of a thread under these options; later calls reuse them.

        Raises UsageError for a wrong folder, configuration or endpoint.
        """
        key = _build_key(folder, options, context)
        if key in self._opened:
            return self._opened[key]
        created = await asyncio.to_thread(
            _create_dependencies, key, context, self._connections, self._find_offer(folder)
        )
        created = self._add_program_parts(created)
        deps = self._opened.setdefault(key, created)
        if deps is not created:  # another task was faster
            await created.close()
        else:
            deps.snapshots.start_background()
            if deps.mcp:
                deps.mcp.start_background()
        return deps

    def _add_program_parts(self, deps: Dependencies) -> Dependencies:
        """Add the program's tools and model; raises UsageError for a model that is not there."""
        if deps.model.provider.name == "program" and deps.model.name != self.program_model_name:
            from ...models.program.program_model import build_absent_error

            raise build_absent_error(deps.model.name)
        if self._program_model is not None:
            from ...models.program.program_model import can_bind_tools

            models = _open_model_pool(deps.home, self._program_model)
            deps = replace(deps, chat_models=models)
            if deps.model.name == self.program_model_name and not can_bind_tools(
                self._program_model
            ):
                deps = replace(deps, model=replace(deps.model, tool_calls="xml"))
        return replace(deps, program_tools=self._program_tools, program_hooks=self._program_hooks)

    async def reload_if_changed(self, folder: str) -> None:
        """Drop the folder's dependencies whose settings, agents or instructions have changed.

        Call it at the start of a run: until its end, a run keeps what was loaded then.
        """
        here = [(key, deps) for key, deps in self._opened.items() if key.folder == folder]
        for key, deps in here:
            try:
                sources = await asyncio.to_thread(_load_sources, key, self._find_offer(folder))
            except UsageError:  # the next `open` raises it again
                sources = None
            if deps.sources != sources and self._opened.get(key) is deps:
                # another thread may still use them, so `close` closes them
                self._replaced.append((folder, self._opened.pop(key)))

    def _find_offer(self, folder: str) -> ClientOffer:
        return self.client_offers.get(folder, ClientOffer())

    async def close_folder(self, folder: str) -> None:
        """Close the dependencies of a folder that nobody works in any more."""
        keys = [key for key in self._opened if key.folder == folder]
        closing = [self._opened.pop(key) for key in keys]
        closing += [deps for place, deps in self._replaced if place == folder]
        self._replaced = [each for each in self._replaced if each[0] != folder]
        for deps in closing:
            await deps.close()

    async def close(self) -> None:
        """Close everything; the pool can be used again and then reloads the configuration."""
        await self.background.close()
        replaced = [deps for _, deps in self._replaced]
        opened, self._opened = [*self._opened.values(), *replaced], {}
        self._replaced = []
        for deps in opened:
            await deps.close()
        connections, self._connections = list(self._connections.values()), {}
        for connection in connections:
            await connection.close()


def _build_key(folder: str, options: Options, context: "Context") -> _DependencyKey:
    return _DependencyKey(
        folder=folder,
        home=context.home,
        mode=context.mode or options.get("mode", ""),
        model=context.model or options.get("turn_model") or options.get("model", ""),
        served_model=options.get("served_model", ""),
        base_url=context.base_url or options.get("base_url", ""),
        files=tuple(options.get("files", ())),
        backup=options.get("backup"),
        plan=options.get("plan_file", "") if options.get("plan") else "",
        speaker=options.get("speaker") or options.get("agent", ""),
        tests_only=bool(options.get("tests_for")),
    )


def _create_dependencies(
    key: _DependencyKey,
    context: "Context",
    connections: "dict[Path, McpConnections]",
    offer: ClientOffer,
) -> Dependencies:
    root = Path(key.folder)
    home, sources = _resolve_home(key), _load_sources(key, offer)
    project = _find_project(root, home)
    loaded, settings = sources.loaded, sources.loaded.settings
    workspace = Workspace(
        root.resolve(),
        tuple(settings.security.ignore_patterns),
        home,
        readable=(*sources.skills.outside_folders, *sources.folders),
        encodings=tuple(settings.encoding.items()),
    )
    policy = build_policy(loaded, workspace, usual=_get_default_mode(key), scope=key.files)
    mode = context.restrict_mode(policy.mode)
    policy = replace(policy, mode=mode, tests_only=key.tests_only)
    context.check_endpoint(settings.litellm.base_url)
    sandbox = open_sandbox(settings.sandbox, workspace, home)
    sandbox = sandbox.with_variables(settings.environment)
    snapshots = open_snapshots(root, home, settings)
    policy = policy.with_safeguards(settings, sandbox, snapshots).with_servers(sources.servers)
    deps = Dependencies(
        settings=settings,
        workspace=workspace,
        policy=policy.with_plan(key.plan) if key.plan else policy,
        sandbox=sandbox,
        journal=Journal(paths.locate_database(home)),
        snapshots=snapshots,
        history=FileHistory(_locate_history(root, home)),
        home=home,
        sources=sources,
        agents=find_agents(project, home, sources.trust),
        model=_resolve_model(key, settings, home),
        model_named=bool(key.model),
        from_project=_list_project_keys(loaded, project),
        turns=settings.model.turns,
        mcp=_open_servers(sources, home, sandbox, connections),
        chat_models=_open_model_pool(home),
    )
    speaks = deps.agents.profiles.get(key.speaker)  # an unknown name is reported when it is used
    return replace(deps, model=deps.resolve_model(speaks)) if speaks else deps


def _open_model_pool(home: Path, program_model: "BaseChatModel | None" = None) -> ModelPool:
    refusals, limits = paths.locate_tool_refusals(home), paths.locate_learnt_limits(home)
    return ModelPool(refusals, limits, program_model)


def _open_servers(
    sources: DependencySources,
    home: Path,
    sandbox: Sandbox,
    connections: "dict[Path, McpConnections]",
) -> "McpAccess | None":
    """Return the access to the usable servers; none is started here."""
    usable = [server for server in sources.servers if server.is_usable]
    if not usable:
        return None
    from ...tools.mcp.connections import McpConnections
    from ...tools.mcp.mcp_access import McpAccess

    shared = connections.setdefault(home, McpConnections(home))
    return McpAccess(usable, shared, home, sandbox)


def _resolve_model(key: _DependencyKey, settings: Settings, home: Path) -> ResolvedModel:
    """Return the model; one that only its server can name is that of the thread's options."""
    environ, served = build_environ(home), key.served_model
    model = resolve(settings, environ, key.model)
    if model.model or served.partition("/")[0] != model.provider.name:
        return model
    return resolve(settings, environ, served)


def _resolve_home(key: _DependencyKey) -> Path:
    return Path(key.home) if key.home else paths.locate_home()


def _find_project(root: Path, home: Path) -> Path:
    """Return the project's folder: of a worktree, the one that it was made from.

    Its settings, agents and trust hold there too, so nobody changes them by working in a copy.
    """
    return (root, *find_origins(root, home))[-1]


def _locate_history(root: Path, home: Path) -> Path:
    """Return the database of file changes; a child's in a worktree are the thread's once merged."""
    worktree = find_worktree(root, home)
    if worktree is None or worktree.has_own_thread:
        return paths.locate_database(home)
    return worktree.container / "history.db"


def _load_sources(key: _DependencyKey, offer: ClientOffer) -> DependencySources:
    home = _resolve_home(key)
    _validate_folder(Path(key.folder))
    root = _find_project(Path(key.folder), home)
    trust = check_trust(root, home)
    loaded = load_settings(root, home, flags=_build_flags(key), trust=trust)
    instructions = load_instructions(root, home, trust, loaded.settings.security.ignore_patterns)
    _remember_logins(home)
    return DependencySources(
        trust,
        loaded,
        tuple(read_definition_files("agents", root, home, trust)),
        instructions,
        find_skills(root, home, trust),
        remember_credentials(home),
        _load_servers(root, home, trust, offer.servers),
        offer.folders,
    )


def _load_servers(
    root: Path, home: Path, trust: Trust, client_servers: "tuple[McpServer, ...]"
) -> "tuple[McpServer, ...]":
    """Return the MCP servers that files define or a client gives, mostly none."""
    files = [paths.locate_mcp_servers(), *(root / place for place in PLACES["mcp"])]
    if not (client_servers or any(map(os.path.lexists, files))):
        return ()
    from ...tools.mcp.config_files import load_servers

    return load_servers(root, home, trust, client_servers)


def _remember_logins(home: Path) -> None:
    """Redact the stored tokens of MCP servers, if there are any."""
    if paths.locate_mcp_logins(home).exists():
        from ...tools.mcp.oauth.storage import remember_logins

        remember_logins(home)


def _validate_folder(root: Path) -> None:
    """Check that it is a folder, and still its real path: a link there has replaced it since."""
    if not root.is_absolute() or not os.path.isdir(root):
        raise UsageError(
            text("`{root}` is not a folder", root=root),
            hint="give the project's absolute path; if the folder was renamed or moved, the thread "
            "follows with `mcode threads move ID FOLDER`",
        )
    real = Path(os.path.realpath(root))
    if real != Path(os.path.normpath(root)):
        raise UsageError(
            text(
                "`{root}` is a link now, or lies behind one: it leads to `{target}`",
                root=root,
                target=real,
            ),
            hint="put the folder back; or begin with its real name; or take the thread there with"
            " `mcode threads export` and `import`",
        )


def _get_default_mode(key: _DependencyKey) -> ApprovalMode:
    """Return the default mode: conversations, and edits of named files, ask first.

    A task does not: its result is reviewed at its end.
    """
    return "ask" if key.files or key.speaker else "edits"


def _build_flags(key: _DependencyKey) -> dict[str, object]:
    texts = {
        "security.mode": key.mode,
        "model.default": key.model,
        "litellm.base_url": key.base_url,
    }
    flags: dict[str, object] = {key: value for key, value in texts.items() if value}
    if key.backup is not None:
        flags["tools.backup"] = key.backup
    # an endpoint for this run is not tied to the configured provider
    return {**flags, "litellm.provider": ""} if key.base_url else flags


def _list_project_keys(loaded: LoadedSettings, root: Path) -> tuple[str, ...]:
    file = f"{paths.locate_project_config(root)}:"
    own = {join_key(path) for path, _ in iter_leaves(loaded.project_values)}
    adding = {key for key in own if key.startswith(ADDING_UP)}  # whoever else sets them, too
    return tuple(
        key
        for key, origin in loaded.origins.items()
        if key.startswith(FAR_REACHING) and (origin.startswith(file) or key in adding)
    )
