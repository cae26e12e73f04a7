"""The one schema of the configuration; a string under each field says what it is."""

from collections.abc import Mapping
from typing import Literal, cast

from pydantic import Field, field_validator, model_validator

from ..security.ignore_patterns import IGNORE_PATTERNS
from .encoding_names import EncodingName
from .hook_entries import Matcher, OnError, fold_events
from .section import Section
from .traces import OtelSection
from .ui import ServerSection, UiSection

# ask: every write and command is asked · edits: writes accepted, commands confined or asked · auto:
# all but hard denies, and web pages · read-only: nothing that has an effect.
ApprovalMode = Literal["ask", "edits", "auto", "read-only"]


class Endpoint(Section):
    """Which provider answers, where, and with which key."""

    provider: str = ""
    """Provider name; empty: found from the keys in the environment."""
    base_url: str = ""
    """Endpoint; empty: the provider's own."""
    api_key: str = ""
    """Key; better written as `${NAME_OF_VARIABLE}`, empty: from the provider's variable."""
    extra_headers: dict[str, str] = Field(default_factory=dict[str, str])
    """Headers of every request to the model, such as those of a company's gateway."""
    timeout: float = Field(default=120.0, gt=0)
    """Seconds of silence in an answer after which the request has failed."""


class ModelPrice(Section):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    """Input tokens from the provider's cache; unset: as `input`."""


class CopilotSection(Section):
    """GitHub Copilot: with which app you log in, and where."""

    client_id: str = ""
    """Client ID of your own OAuth app for `mcode auth login copilot`; MaxAgent has none."""
    integration_id: str = ""
    """Value of the header `Copilot-Integration-Id`; empty: not sent."""
    editor_version: str = ""
    """Value of the header `Editor-Version`; empty: `maxagent/VERSION`."""
    host: str = "github.com"
    """Host of the login, such as that of GitHub Enterprise."""
    api_host: str = "api.github.com"
    """Host that exchanges the login for short-lived tokens."""
    exchange: bool = True
    """False: the login's own token is sent to Copilot."""


class ModelLimits(Section):
    """Settings of one model, by `MODEL` or `PROVIDER/MODEL`; unset fields fall back to `model`."""

    max_tokens: int | None = Field(default=None, gt=0)
    context_length: int | None = Field(default=None, gt=0)
    temperature: float | None = Field(default=None, ge=0, le=2)
    thinking: bool | None = None
    """Whether the model thinks, where the catalogue does not know or is wrong."""
    api: Literal["chat", "responses", "anthropic", "langchain-openai"] | None = None
    """Protocol: `chat` (chat completions), `responses` (OpenAI's Responses API), `anthropic`
    (Anthropic Messages), or `langchain-openai` (the Responses API through that package)."""
    tool_calls: Literal["native", "xml", "auto"] | None = None
    """`native`, `xml` (as text, for a model without native calls), or `auto`: native until the
    endpoint denies tools, then `xml`."""
    vision: bool | None = None
    """Whether the model sees images."""
    price: ModelPrice | None = None
    """The price that is paid, such as a reseller's; nothing, if it is not billed by tokens."""


class RetrySection(Section):
    """How a failed request to the model is repeated."""

    max_retries: int | None = Field(default=None, ge=0)
    """How often; unset: `model.max_retries`."""
    initial_delay: float = Field(default=0.5, gt=0, le=3600)
    """Seconds before the first repetition, up to half of them at random."""
    max_delay: float = Field(default=30.0, gt=0, le=3600)
    """The longest delay; a provider that asks for more gets it, up to two minutes."""
    exponential_base: float = Field(default=2.0, ge=1, le=10)
    """Each delay is the one before it times this."""


class ModelSection(Section):
    """The model and how it is asked."""

    default: str = ""
    """`PROVIDER/MODEL` or `MODEL`; empty: the provider's usual one."""
    thinking_model: str = ""
    """Model that answers requests that need thinking; empty: the same one, told to think."""
    thinking_strategy: Literal["auto", "enabled", "disabled"] = "auto"
    """When the model thinks; `auto`: decided for each message by its words."""
    effort: Literal["auto", "low", "medium", "high", "max"] = "auto"
    """How much it thinks when it does; `auto`: the provider's default."""
    show_thinking: bool = True
    temperature: float = Field(default=0.7, ge=0, le=2)
    max_tokens: int = Field(default=4096, gt=0)
    context_length: int = Field(default=128_000, gt=0)
    max_iterations: int = Field(default=100, gt=0)
    """Model turns a run may take before it stops and waits to be resumed."""
    max_retries: int = Field(default=5, ge=0)
    """How often one request is repeated after 429, 5xx, a dropped stream or an empty answer."""
    max_steps: int | None = Field(default=None, gt=0)
    """Another name of `max_iterations`, which it overrides."""
    retry: RetrySection = Field(default_factory=RetrySection)
    fallback: list[str] = Field(default_factory=list[str])
    """`PROVIDER/MODEL` of the models that are asked in turn when one cannot answer: no quota, no
    access, overloaded or not reached. The next message starts with the first model again."""
    parallel_tool_calls: bool = True
    enable_tool_planner: bool = False
    """Let the model name its steps before it begins: one request more for each message."""
    catalog_url: str = ""
    """Where `mcode models refresh` fetches a catalogue of models."""
    models: dict[str, ModelLimits] = Field(default_factory=dict[str, ModelLimits])

    @property
    def turns(self) -> int:
        """Most model turns of a run."""
        return self.max_steps or self.max_iterations

    @property
    def retries(self) -> int:
        """How often one request is repeated."""
        return self.max_retries if self.retry.max_retries is None else self.retry.max_retries


class ToolsSection(Section):
    """Which tools the model is offered, and how they work."""

    enabled: list[str] = Field(default_factory=list[str])
    """Only these; empty: all."""
    disabled: list[str] = Field(default_factory=list[str])
    backup: bool = False
    """Keep a file's old content in the data folder before a tool overwrites it."""


class SecuritySection(Section):
    """What may be touched and run without asking."""

    mode: ApprovalMode | None = None
    """Approval mode; unset: the command's own (`task` starts in `edits`)."""
    ignore_patterns: list[str] = Field(default_factory=lambda: list(IGNORE_PATTERNS))
    """gitignore patterns of files that no tool may read, list or write; a file's patterns are added
    to the built-in ones, and `!NAME` takes one away."""
    exclude_files: list[str] = Field(default_factory=list[str])
    """More patterns for `ignore_patterns`."""
    require_confirmation: bool | list[str] = True
    """Tools that are asked in every mode that would run them; false, or no tool: `mode: auto`."""
    require_command_confirmation: bool = True
    """False: commands run unasked, but for those that are refused or asked in every mode."""
    sandboxed_commands: Literal["ask", "run"] = "run"
    """In mode `edits`: `run` commands inside the sandbox without asking (without a sandbox, only
    commands whose changes undo can restore), or `ask` before each command with an effect."""
    command_whitelist: list[str] = Field(default_factory=list[str])
    """Commands that run unasked: the exact words that a simple command starts with."""
    command_timeout: float = Field(default=120.0, gt=0, le=3600)
    """Seconds."""


class PermissionRule(Section):
    """One rule, with examples that are checked when it is loaded."""

    rule: str
    """`TOOL` or `TOOL(PATTERN)`, such as `run_command(git diff:*)` or `edit(src/**)`."""
    match: list[str] = Field(default_factory=list[str])
    """What it must match: commands, paths or addresses."""
    not_match: list[str] = Field(default_factory=list[str])
    """What it must not match."""


Rules = list[str | PermissionRule]


class PermissionsSection(Section):
    """The user's own rules on tool calls; the strictest that matches a call wins."""

    deny: Rules = Field(default_factory=Rules)
    ask: Rules = Field(default_factory=Rules)
    allow: Rules = Field(default_factory=Rules)


class SandboxSection(Section):
    """The wall around commands; `sandbox: require` is short for its mode alone."""

    mode: Literal["auto", "off", "require"] = "auto"
    """auto: where the system has one, and said once where it has none · require: no run without."""
    network: bool = False
    """Whether commands inside reach the network."""
    unix_sockets: Literal["deny", "allow"] = "deny"
    """Whether commands inside may make unix sockets: with one they reach each that listens."""
    writable: list[str] = Field(default_factory=list[str])
    """Folders besides the project that commands inside may write to; `~` is the home."""


class EnvironmentSection(Section):
    """Variables of your shell that commands and tests get: all but what may be a secret."""

    include: list[str] = Field(default_factory=list[str])
    """Names of variables, with `*`, that they get although they may be secrets."""
    exclude: list[str] = Field(default_factory=list[str])
    """Names of variables, with `*`, that they never get."""


class AgentSettings(Section):
    """One role's own words."""

    system_prompt: str = ""
    """Added after the role's built-in prompt."""


class AgentsSection(Section):
    """The three roles of a task, the editor of `mcode edit`, and the modes of `mcode chat`."""

    architect: AgentSettings = AgentSettings()
    coder: AgentSettings = AgentSettings()
    tester: AgentSettings = AgentSettings()
    editor: AgentSettings = AgentSettings()
    build: AgentSettings = AgentSettings()
    plan: AgentSettings = AgentSettings()
    max_parallel: int = Field(default=4, ge=1, le=16)
    """Sub-agents of a thread that work at once."""


class TaskSection(Section):
    """How a task is proved."""

    test_command: str = ""
    """Shell command whose exit code 0 is the proof; empty: pytest, where it is found."""
    test_timeout: float = Field(default=600.0, gt=0)
    """Seconds."""
    repair_rounds: int = Field(default=3, ge=0)
    """How often red tests or a tester's refusal go back to the coder."""


class ContextSection(Section):
    """What of a long conversation the model is sent."""

    auto_compact: bool = True
    """Whether a conversation that gets too long is compacted without being asked to."""
    compact_at: float = Field(default=0.85, gt=0, le=1)
    """The share of the model's window at which that happens."""
    compact_tokens: int = Field(default=200_000, gt=0)
    """The tokens at which it happens at the latest, however large the window is."""
    safe_zone: int = Field(default=40_000, ge=0)
    """Tokens of the newest tool results that are not pruned; at most 40 % of the window."""
    conversation_prune_safe_zone_tokens: int | None = Field(default=None, ge=0)
    """Another name of `safe_zone`, which it overrides."""
    prune: bool = True
    """Whether old tool results are shortened first; false: only the summary is made."""
    model: str = ""
    """`PROVIDER/MODEL` that writes the summary; empty: the conversation's own; `none`: no model."""
    project_structure: bool = True
    """Whether a new thread is shown the folders and files of a trusted project."""
    include_project_structure: bool | None = None
    """Another name of `project_structure`, which it overrides."""

    @property
    def shows_structure(self) -> bool:
        """Whether a new thread is shown the project's folders and files."""
        named = self.include_project_structure
        return self.project_structure if named is None else named

    @property
    def protected_tokens(self) -> int:
        """Tokens of the newest tool results that are not pruned."""
        named = self.conversation_prune_safe_zone_tokens
        return self.safe_zone if named is None else named


class MemorySection(Section):
    """What is remembered from thread to thread."""

    enabled: bool = True
    """False: nothing is read or written, and no tool for it is offered."""
    propose: bool = True
    """Whether the model may propose cards; you keep or drop them."""
    inject: int = Field(default=3, ge=0, le=50)
    """Most cards that fit a message and are shown with it; 0: only those at a thread's start."""


class RagServer(Section):
    """A retrieval server that answers questions over chat completions."""

    base_url: str
    """Its address, up to `/chat/completions`."""
    api_key: str = ""
    """Key; better written as `${NAME_OF_VARIABLE}`."""
    model: str = ""
    """The model that requests name; empty: the server's name here."""
    description: str = ""
    """What it knows, for the model."""
    timeout: float = Field(default=120.0, gt=0)
    """Seconds of silence in an answer after which the call has failed."""


class RagSection(Section):
    """Retrieval servers that `use_rag_tool` asks."""

    servers: dict[str, RagServer] = Field(default_factory=dict[str, RagServer])


class ThreadsSection(Section):
    """The list of threads."""

    titles: bool = True
    """Let the model name a conversation once, after its first answer, at a terminal."""


class LogSection(Section):
    """The log of requests: what each thread has sent to models, and their answers."""

    enabled: bool = False
    """Write each thread's log to `data/logs/THREAD.jsonl`, without secrets."""


class Hook(Section):
    """A command that runs at an event."""

    matcher: Matcher = ""
    """Regular expression of names of tools, ours or Claude Code's; empty or `*`: each tool."""
    command: str = Field(min_length=1)
    """Shell command; it reads the event as JSON on stdin."""
    timeout: float = Field(default=60.0, gt=0, le=600)
    """Seconds."""
    on_error: OnError = "allow"
    """What becomes of a call whose hook cannot start or does not end as it should."""


class HooksSection(Section):
    """Commands at four events; Claude Code's names and nested entries are read, too."""

    before_tool: list[Hook] = Field(default_factory=list[Hook])
    """Before a call that is allowed: exit code 2 denies it."""
    after_tool: list[Hook] = Field(default_factory=list[Hook])
    """After a call: what it prints is added to the result."""
    on_stop: list[Hook] = Field(default_factory=list[Hook])
    """When the model has finished: exit code 2 lets it go on."""
    on_session_start: list[Hook] = Field(default_factory=list[Hook])
    """At a thread's first request: the model reads what it prints."""

    @model_validator(mode="before")
    @classmethod
    def _fold_events(cls, hooks: object) -> object:
        is_read = isinstance(hooks, dict)
        return fold_events(cast("Mapping[str, object]", hooks)) if is_read else hooks


class Settings(Section):
    """Everything that can be configured."""

    litellm: Endpoint = Endpoint()
    copilot: CopilotSection = CopilotSection()
    model: ModelSection = ModelSection()
    tools: ToolsSection = ToolsSection()
    security: SecuritySection = SecuritySection()
    permissions: PermissionsSection = PermissionsSection()
    sandbox: SandboxSection = SandboxSection()
    environment: EnvironmentSection = EnvironmentSection()
    agents: AgentsSection = AgentsSection()
    task: TaskSection = TaskSection()
    context: ContextSection = ContextSection()
    memory: MemorySection = MemorySection()
    rag: RagSection = RagSection()
    threads: ThreadsSection = ThreadsSection()
    log: LogSection = LogSection()
    database: str = ""
    """`postgres://USER@HOST/NAME`: where threads are kept; empty: in a file of your home."""
    storage: str = ""
    """Folder, or address of a bare git repository, with the threads' files for other machines."""
    otel: OtelSection = OtelSection()
    ui: UiSection = UiSection()
    server: ServerSection = ServerSection()
    hooks: HooksSection = HooksSection()
    after_edit: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    """Commands after an edit of a file that fits the pattern; `{file}` is its path, quoted."""
    encoding: dict[str, EncodingName] = Field(default_factory=dict[str, EncodingName])
    """Encodings of files that fit the pattern, such as `cp1251`; the last pattern counts."""
    language: Literal["", "en", "zh"] = ""
    """Language of the interface, `en` or `zh`; empty: from the locale."""

    @field_validator("sandbox", mode="before")
    @classmethod
    def _expand_mode(cls, value: object) -> object:
        return {"mode": value} if isinstance(value, str) else value
