"""The schema of an administrator's policy, which every run obeys and no other source loosens.

A new key takes:

- a field in `config/settings/managed_policy.py`, and the place that obeys it
- a row in `docs/enterprise.md`, an attempt to loosen it in `tests/e2e/test_managed_policy.py`
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from ..security.ssh_signatures import read_public_key
from ..text import text
from .schema import ApprovalMode, ModelPrice, Rules
from .section import Section
from .sources import Layer

MODES_BY_STRICTNESS: tuple[ApprovalMode, ...] = ("read-only", "ask", "edits", "auto")
HookSource = Literal["none", "user", "all"]


class ManagedSandbox(Section):
    """The least that confines commands."""

    mode: Literal["auto", "require"] | None = None
    """`auto`: it cannot be turned off · `require`: no command runs outside of it."""
    network: Literal[False] | None = None
    """False: no command inside reaches the network."""
    unix_sockets: Literal["deny"] | None = None
    """`deny`: no command inside makes unix sockets."""
    writable: list[str] | None = None
    """The only folders that `sandbox.writable` may name, or folders below them; `[]`: none."""


class ManagedServer(Section):
    """One MCP server that may be used, by what it is and not by its name."""

    command: str = ""
    """The whole command line, with an absolute path; `*` is any text within one word."""
    url: str = ""
    """Its address; `*` is any text in the path."""
    env: list[str] = Field(default_factory=list[str])
    """The variables that a user may set for it."""
    folder: str = ""
    """The folder that it may be started in; empty: none of its own."""

    @model_validator(mode="after")
    def _check_identity(self) -> "ManagedServer":
        if bool(self.command) == bool(self.url):
            raise ValueError("needs either `command` or `url`")
        if self.command and not _split_command(self.command)[:1][0].startswith("/"):
            raise ValueError("`command` must begin with an absolute path")
        if self.url and not _split_url(self.url):
            raise ValueError("`url` must be an http(s) address without user name")
        return self


class ManagedWeb(Section):
    """Which web pages the model may have fetched."""

    enabled: bool = True
    hosts: list[str] | None = None
    """Only these hosts; `*.example.org` stands for every host below it."""


class ManagedLimits(Section):
    """What may be used."""

    turns: int | None = Field(default=None, gt=0)
    """Model turns of a run."""
    cost: float | None = Field(default=None, gt=0)
    """US dollars of a run."""
    cost_per_day: float | None = Field(default=None, gt=0)
    """US dollars of a user's requests on this machine in a day (UTC)."""
    requests_per_day: int | None = Field(default=None, gt=0)
    """Requests of a user on this machine in a day (UTC)."""
    ledger: str = ""
    """Folder where the requests of the day are counted; empty: in the user's home folder."""


class ManagedRetention(Section):
    """How long threads are kept."""

    keep_days: float | None = Field(default=None, gt=0)
    """A thread that was used since then cannot be deleted."""
    delete_days: float | None = Field(default=None, gt=0)
    """A thread that nobody has used since then is deleted when a run starts."""


class ManagedPermissions(Section):
    """Rules on tool calls; a policy allows nothing."""

    deny: Rules = Field(default_factory=Rules)
    ask: Rules = Field(default_factory=Rules)


class PolicySource(Section):
    """Where the policy is that this machine obeys."""

    url: str
    """Its address; its signature is at the same address with `.sig`."""
    key: str
    """The public key that signs it: a line of `id_ed25519.pub`."""

    @model_validator(mode="after")
    def _check_source(self) -> "PolicySource":
        parts = _split_url(self.url)
        if not parts or parts[0] != "https" or "?" in self.url or "#" in self.url:
            raise ValueError("`url` must be an https address without a query")
        read_public_key(self.key)
        return self


class PolicyKeys(Section):
    """Everything that a policy can restrict; what it does not name is as without it."""

    source: PolicySource | None = None
    """The signed policy to obey in place of this file."""
    expires: datetime | None = None
    """When the policy ends; from then on nothing runs until there is another one."""
    mode: ApprovalMode | None = None
    """The loosest approval mode."""
    providers: list[str] | None = None
    models: list[str] | None = None
    """`PROVIDER/MODEL`, in which `*` is any text."""
    hosts: list[str] | None = None
    """The only hosts that MaxAgent itself connects to: of models, MCP servers, pages and others."""
    prices: dict[str, ModelPrice] = Field(default_factory=dict[str, ModelPrice])
    """What models cost, by `PROVIDER/MODEL`, where the built-in catalogue does not know it."""
    sandbox: ManagedSandbox = ManagedSandbox()
    mcp_servers: list[ManagedServer] | None = None
    """The only MCP servers; `[]`: none."""
    hooks: HookSource = "all"
    """Whose hooks run: `user` leaves out those of projects."""
    web: ManagedWeb = ManagedWeb()
    permissions: ManagedPermissions = ManagedPermissions()
    limits: ManagedLimits = ManagedLimits()
    retention: ManagedRetention = ManagedRetention()

    @model_validator(mode="after")
    def _check_alone(self) -> "PolicyKeys":
        if self.source and self.model_fields_set != {"source"}:
            raise ValueError("a policy with `source` has no other keys: they are in the signed one")
        return self

    @field_validator("expires", mode="before")
    @classmethod
    def _read_expiry(cls, moment: object) -> object:
        try:
            read = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        except ValueError as error:
            raise ValueError("must be a time, such as 2027-01-31T00:00:00Z") from error
        return read.replace(tzinfo=read.tzinfo or UTC) if isinstance(read, datetime) else read

    @field_validator("hosts")
    @classmethod
    def _check_hosts(cls, hosts: list[str] | None) -> list[str] | None:
        for host in hosts or ():
            if "/" in host or ":" in host:
                raise ValueError("names hosts, such as `api.example.org`, without port or path")
        return hosts


@dataclass(frozen=True)
class ManagedPolicy:
    """A policy that was read, with the place of each key."""

    keys: PolicyKeys
    layer: Layer

    def locate(self, *path: str) -> str:
        """Return `FILE:LINE` of a key."""
        return self.layer.find_origin(path)

    def limit_mode(self, mode: ApprovalMode) -> ApprovalMode:
        """Return the mode, or the policy's own if that is stricter."""
        loosest = self.keys.mode or mode
        is_stricter = MODES_BY_STRICTNESS.index(mode) <= MODES_BY_STRICTNESS.index(loosest)
        return mode if is_stricter else loosest

    def explain_refused_host(self, host: str) -> str:
        """Explain why nothing may be sent to a host; empty if it may."""
        hosts = self.keys.hosts
        if hosts is None or matches_host(host, hosts):
            return ""
        return text("the policy ({place}) allows no host `{host}`", **self._place("hosts", host))

    def explain_refused_page(self, host: str) -> str:
        """Explain why no page of a host may be fetched; empty if it may."""
        web = self.keys.web
        if not web.enabled:
            return text("the policy ({place}) allows no web pages", place=self.locate("web"))
        if web.hosts is not None and not matches_host(host, web.hosts):
            return text(
                "the policy ({place}) allows no pages of `{host}`",
                place=self.locate("web", "hosts"),
                host=host,
            )
        return self.explain_refused_host(host)

    def explain_refused_model(self, provider: str, model: str) -> str:
        """Explain why a model may not be asked; empty if it may. It is empty while it is open."""
        keys = self.keys
        if keys.providers is not None and provider not in keys.providers:
            return text(
                "the policy ({place}) does not allow the provider `{provider}`",
                place=self.locate("providers"),
                provider=provider,
            )
        name = f"{provider}/{model}"
        if model and keys.models is not None and not _matches_any(name, keys.models):
            return text(
                "the policy ({place}) does not allow the model `{model}`",
                place=self.locate("models"),
                model=name,
            )
        return ""

    def explain_refused_server(
        self, command: Sequence[str], url: str, env: Sequence[str], folder: str
    ) -> str:
        """Explain why an MCP server may not be used; empty if it may."""
        allowed = self.keys.mcp_servers
        if allowed is not None:
            suits = (
                _is_same_url(url, each.url)
                if url
                else _is_same_command(command, each.command)
                and set(env) <= set(each.env)
                and folder == each.folder
                for each in allowed
            )
            if not any(suits):
                return text(
                    "the policy ({place}) does not allow this server",
                    place=self.locate("mcp_servers"),
                )
        return self.explain_refused_host(urlsplit(url).hostname or "") if url else ""

    def _place(self, key: str, host: str) -> dict[str, object]:
        return {"place": self.locate(key), "host": host}


def matches_host(host: str, patterns: Sequence[str]) -> bool:
    """Return whether a host is one of these, or below one that begins with `*.`."""
    name = host.casefold().rstrip(".")
    return bool(name) and any(
        name.endswith(pattern[1:]) and name != pattern[2:]
        if pattern[:2] == "*."
        else name == pattern
        for pattern in (each.casefold().rstrip(".") for each in patterns)
    )


def _matches_any(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _is_same_command(words: Sequence[str], allowed: str) -> bool:
    patterns = _split_command(allowed)
    return len(words) == len(patterns) and all(map(fnmatchcase, words, patterns))


def _split_command(command: str) -> list[str]:
    return shlex.split(command) or [""]


def _is_same_url(url: str, allowed: str) -> bool:
    target, pattern = _split_url(url), _split_url(allowed)
    if not target or not pattern:
        return False
    return target[:3] == pattern[:3] and fnmatchcase(target[3], pattern[3])


def _split_url(url: str) -> tuple[str, str, int, str] | None:
    """Return scheme, host, port and the rest; None for an address that could mean another one."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError:
        return None
    if not port or not parts.hostname or "@" in parts.netloc or "\\" in url or "/../" in url:
        return None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, parts.hostname.rstrip("."), port, path
