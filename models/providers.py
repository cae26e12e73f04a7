"""Known providers, as data (`providers.json`), and detection of the user's provider.

A new provider, or a quirk for which its row has a field, takes:

- its row in `models/providers.json`; the fields are in `models/providers.py`
- `models/catalog.json` for models and prices
- the form of its keys in `models/auth/key_shapes.py`
- `docs/models.md`

A new kind of quirk in what a provider is sent takes:

- a new field of the row in `models/providers.py`, never the provider's name; `build_options` in
  `dialect.py` of each protocol it concerns: `models/chat_completions`, `models/responses`,
  `models/anthropic`. A row has `headers` for every request, and `tool_fields` for requests of chat
  completions with tools; it has no field yet for the body of every request
- `docs/models.md`

A new kind of quirk in what a provider must get back of its answers takes:

- read and keep it in `models/chat_completions/answer_parser.py`, name it in `REASONING_FIELDS` in
  `models/replay.py`, then in `reasoning_echo` of the row; a field of a tool call: `CALL_EXTRAS` in
  `models/chat_completions/tool_call_assembler.py`
- `tests/fixtures/strict_provider.py`, `docs/models.md`

How answers and errors are read is in:

- `models/chat_completions/answer_parser.py`; `answer_parser.py` of the other protocols;
  `models/error_classification.py`
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from ..config.errors import UsageError
from ..config.network.variables import read_variable
from ..config.settings.schema import Settings
from ..config.text import text
from .auth.credentials import Credential, Credentials, find_credentials
from .auth.key_shapes import clean_key

Api = Literal["chat", "responses", "anthropic", "langchain-openai"]


@dataclass(frozen=True)
class ReasoningEcho:
    """How a model's earlier thinking is sent back to it."""

    field: Literal["", "reasoning_content", "think_tags", "thinking_block"] = ""
    """Where the text goes."""
    fields: Sequence[str] = ()
    """Other fields of an answer that go back as received: of `REASONING_FIELDS` in `replay.py`."""
    when: Literal["all", "tool_turns"] = "all"
    """With which answers: all, or those that have tool calls."""
    empty: Literal["send", "omit"] = "omit"
    """`send`: the field is required, also where there was no thinking."""
    same_model_only: bool = False
    """Whether another model of the same provider rejects it."""


@dataclass(frozen=True)
class Provider:
    """One provider: its endpoint, its keys, and what its dialect needs."""

    name: str
    title: str = ""
    """Its name as people know it."""
    key_page: str = ""
    """Where the user creates a key."""
    aliases: tuple[str, ...] = ()
    maker: str = ""
    """The provider whose models these are, if it has another name: thinking goes between them."""
    api: Api = "chat"
    """The protocol, unless the catalogue or the user names another."""
    apis: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Differences by protocol, such as the endpoint."""
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Differences by pattern of the model's name."""
    base_url: str = ""
    base_url_variables: tuple[str, ...] = ()
    """Environment variables for the endpoint, besides `NAME_BASE_URL`."""
    key_variables: tuple[str, ...] = ()
    """Environment variables that may contain the key; the first that is set counts."""
    detected: bool = True
    """Whether a key in the environment selects this provider."""
    local: bool = False
    """Whether it is a server on this machine, which needs no key."""
    start_command: str = ""
    """How such a server is started."""
    login: bool = False
    """Whether it needs a login (`mcode auth login`) instead of a key."""
    default_model: str = ""
    """Empty: the server is asked which it has."""
    available: bool = True
    """False: the name is known, the provider comes in a later version."""
    slashed_models: bool = False
    """Whether its model names contain slashes (`z-ai/glm-5`)."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    stream_usage: bool = True
    """Whether `stream_options: {"include_usage": true}` is accepted."""
    tool_choice: Literal["any", "auto", "none"] = "any"
    """Which values of `tool_choice` are accepted; `none`: not even the field."""
    can_forbid_calls: bool = False
    """Whether the value `none` of `tool_choice` is accepted, too."""
    parallel_by_default: bool | None = None
    """What `parallel_tool_calls` is when not sent; None: the field is not accepted."""
    reasoning_echo: ReasoningEcho | None = None
    """How the model's earlier thinking is sent back to it; None: it is not."""
    unsigned_call: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of the first call of an answer that the model has not signed."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Headers of every request, besides those of the protocol."""
    thinking_on: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of a request that shall think."""
    thinking_off: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of a request that shall not think."""
    effort_field: str = ""
    """The field for how much to think, such as `reasoning_effort`; dots lead into objects."""
    efforts: tuple[str, ...] = ()
    """Its values, from the least to the most."""
    temperature: Literal["always", "without_thinking", "never"] = "always"
    """When a request may have a temperature."""
    thinking_default: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of a request that leaves the choice to the model."""
    tool_fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of a request that offers tools, over chat completions."""
    elsewhere: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Differences when another server answers under this provider's name."""

    @property
    def maker_name(self) -> str:
        """Return the provider whose models these are."""
        return self.maker or self.name

    def select_api(self, api: Api, model: str) -> "Provider":
        """Return this provider as it behaves with that protocol and model."""
        changed: dict[str, Any] = {"api": api, **self.apis.get(api, {})}
        patterns: Mapping[str, Mapping[str, Any]] = changed.get("models", self.models)
        for pattern, fields in patterns.items():
            if fnmatch(model.lower(), pattern):
                changed |= fields
        return replace(self, **_build_fields(changed))

    def adapt_to(self, base_url: str) -> "Provider":
        """Return this provider as it behaves at that endpoint."""
        return self if base_url == self.base_url else replace(self, **_build_fields(self.elsewhere))

    def accepts_choice(self, choice: str) -> bool:
        """Return whether a request may have this `tool_choice`."""
        if choice == "none":
            return self.can_forbid_calls or self.tool_choice == "any"
        return self.tool_choice in ("any", choice)

    def find_key(self, environ: Mapping[str, str]) -> str:
        """Return the key in the environment, or an empty string."""
        return clean_key(_find_first_variable(environ, self.key_variables))

    def find_stored_key(self, stored: Credentials) -> str:
        """Return the stored key or login, or an empty string."""
        credential = self.find_credential(stored)
        return credential.secret if credential else ""

    def find_credential(self, stored: Credentials) -> Credential | None:
        """Return the stored key or login; providers of one maker share it."""
        return stored.get(self.name) or stored.get(self.maker_name)

    def find_endpoint(self, environ: Mapping[str, str]) -> str:
        """Return the endpoint in the environment, or an empty string."""
        return _find_first_variable(environ, self.list_endpoint_variables())

    def list_endpoint_variables(self) -> tuple[str, ...]:
        """Return the environment variables that may contain the endpoint: first `NAME_BASE_URL`."""
        if not self.base_url and self.available:
            return ()
        return (f"{self.name.upper().replace('-', '_')}_BASE_URL", *self.base_url_variables)


@cache
def load_providers() -> Mapping[str, Provider]:
    """Return every known provider by name, in the order in which keys are searched."""
    text = Path(__file__).with_name("providers.json").read_text(encoding="utf-8")
    table = cast("dict[str, dict[str, Any]]", json.loads(text))
    return {name: Provider(name, **_build_fields(row)) for name, row in table.items()}


def find_provider(name: str) -> Provider | None:
    """Return the provider of that name or alias; None if there is none."""
    providers, lowercase_name = load_providers(), name.lower()
    aliased = (each for each in providers.values() if lowercase_name in each.aliases)
    return providers.get(lowercase_name) or next(aliased, None)


def get_provider(name: str) -> Provider:
    """Return the provider of that name; raises UsageError if it is unknown or not available yet."""
    provider = find_provider(name)
    if provider is None:
        raise build_unknown_provider_error(name)
    if not provider.available:
        raise UsageError(
            text("The provider `{name}` is not supported yet", name=provider.name),
            hint=text("choose one of {names}", names=_format_names()),
        )
    return provider


def build_unknown_provider_error(name: str) -> UsageError:
    """Return the error for an unknown provider name."""
    near = get_close_matches(name.lower(), load_providers(), n=1, cutoff=0.7)
    guess = text("did you mean `{name}`? ", name=near[0]) if near else ""
    return UsageError(
        text("unknown provider `{name}`", name=name),
        hint=text("{suggestion}known providers: {names}", suggestion=guess, names=_format_names()),
    )


def build_no_provider_error() -> UsageError:
    """Return the error if no provider is configured."""
    return UsageError(
        "no model provider is configured",
        hint="run `mcode auth login`: it lists the providers, and where each gives you a key",
    )


def explain_unreachable(provider: Provider) -> str:
    """Return the hint for a server that does not answer."""
    if not provider.start_command:
        return "Check the network, the base URL and whether the server runs"
    return text(
        "Does {name} run? Start it with `{command}`, or set `{variable}` to its address",
        name=provider.name,
        command=provider.start_command,
        variable=provider.list_endpoint_variables()[0],
    )


def detect_provider(settings: Settings, environ: Mapping[str, str]) -> Provider | None:
    """Return the default provider if no model names one; None if nothing is configured.

    In order: `litellm.provider` of the settings, the first key found in the environment, the first
    endpoint found there, for a bare `litellm.base_url` the `openai` dialect, the first stored key,
    and a stored login.
    """
    if settings.litellm.provider:
        return get_provider(settings.litellm.provider)
    providers = [each for each in load_providers().values() if each.available and each.detected]
    for provider in (
        *(each for each in providers if each.find_key(environ)),
        *(each for each in providers if each.find_endpoint(environ)),
    ):
        return provider
    if settings.litellm.base_url or settings.litellm.api_key:
        return get_provider("openai")
    return _find_stored_provider(environ)


def _find_stored_provider(environ: Mapping[str, str]) -> Provider | None:
    stored = find_credentials(environ)
    providers = [
        each for each in load_providers().values() if each.available and each.name in stored
    ]
    return min(providers, key=lambda each: each.login, default=None)


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def _format_names() -> str:
    providers = load_providers().values()
    # those without an endpoint are for tests and for programs that embed MaxAgent
    return _join_names(each.name for each in providers if each.available and each.base_url)


def _find_first_variable(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := read_variable(environ, name))), "")


def _build_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        name: tuple(cast("list[str]", value)) if isinstance(value, list) else value
        for name, value in row.items()
    }
    if fields.get("reasoning_echo"):
        fields["reasoning_echo"] = ReasoningEcho(**fields["reasoning_echo"])
    return fields
