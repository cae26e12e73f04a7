"""Resolution of the user's choice to one model: provider, endpoint, key, limits, protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, TypeVar
from urllib.parse import urlsplit

from ..config.errors import UsageError
from ..config.network.variables import clean_value
from ..config.paths import locate_home
from ..config.settings.schema import ModelLimits, Settings
from ..config.text import text
from .address import trim_base_url
from .auth.copilot_login import CopilotLogin
from .auth.credentials import find_credentials
from .auth.key_shapes import clean_key, is_valid_key
from .catalog import CatalogEntry, Price, find_model, list_models_of, list_providers_of
from .policy.limits import check_model
from .providers import (
    Api,
    Provider,
    build_no_provider_error,
    build_unknown_provider_error,
    detect_provider,
    find_provider,
    get_provider,
)

if TYPE_CHECKING:
    from .error_classification import RequestTarget

_T = TypeVar("_T")
ToolCalls = Literal["native", "xml", "auto"]

# Most tokens to request if only the catalogue sets a limit: some endpoints subtract all of
# `max_tokens` from the room for the prompt.
USUAL_ANSWER = 32_000


@dataclass(frozen=True)
class ResolvedModel:
    """All data for requests to one model."""

    provider: Provider
    model: str
    base_url: str = field(repr=False)
    api_key: str = field(repr=False)
    api: Api = "chat"
    context_length: int = 128_000
    """Tokens."""
    has_known_window: bool = False
    """Whether the catalogue or the user says so; else the length is a guess."""
    max_tokens: int = 4096
    """Most tokens of an answer."""
    temperature: float | None = None
    """None: the model does not accept one."""
    thinking: bool | None = None
    """Whether the model thinks; None: unknown."""
    parallel_tool_calls: bool = True
    login: CopilotLogin | None = field(default=None, repr=False)
    """The login that each request takes its token from, instead of a key."""
    extra_headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The user's own headers of every request."""
    read_seconds: float = 120.0
    """The longest pause in an answer; keep-alives do not reset it."""
    tool_calls: ToolCalls = "auto"
    """How the model calls tools; `auto`: natively, as XML once the endpoint has denied tools."""
    vision: bool | None = None
    """Whether the model sees images; None: unknown."""
    price: Price | None = None
    """None: unknown."""

    @property
    def name(self) -> str:
        """`provider/model`, as in the status line; `provider` if the model is still open."""
        return f"{self.provider.name}/{self.model}".removesuffix("/")

    @property
    def host(self) -> str:
        """Host and port of the endpoint, for messages: never a user or a key."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def target(self) -> "RequestTarget":
        """The endpoint as messages name it."""
        from .error_classification import RequestTarget

        return RequestTarget(self.model, self.host, self.api_key)


def resolve(settings: Settings, environ: Mapping[str, str], spec: str = "") -> ResolvedModel:
    """Return the model that `spec`, settings and environment select; raises UsageError if none.

    `spec` is `PROVIDER/MODEL`, `PROVIDER:MODEL`, `PROVIDER`, or `MODEL`, whose provider is found
    by `_find_provider_of`; empty: `model.default` of the settings. The model is empty for a server
    whose models are not known before it is asked.
    """
    configured = settings.model.default.strip()
    row, model = _split_spec(settings, environ, spec.strip() or configured)
    if not spec.strip():
        _check_named(settings, row, configured)
    chosen = row.select_api(_choose_api(settings, row, model), model)
    named = settings.litellm.provider
    own = not named or get_provider(named).name == chosen.name
    base_url = _choose_base_url(chosen, settings.litellm.base_url if own else "", environ)
    key = (clean_key(settings.litellm.api_key) if own else "") or chosen.find_key(environ)
    key = key or chosen.find_stored_key(find_credentials(environ))
    _check_key(chosen, base_url, key)
    resolved = _with_limits(settings, chosen.adapt_to(base_url), model, base_url, key)
    _check_package(resolved)
    check_model(resolved)
    return _with_login(resolved, settings, environ) if chosen.login else resolved


def _with_login(
    resolved: ResolvedModel, settings: Settings, environ: Mapping[str, str]
) -> ResolvedModel:
    """Return the model with the login in the place of its key, which is no key for requests."""
    is_own = resolved.base_url != resolved.provider.base_url
    address = resolved.base_url if is_own else ""
    login = CopilotLogin(locate_home(environ), settings.copilot, address)
    return replace(resolved, api_key="", login=login)


def choose_provider(settings: Settings, environ: Mapping[str, str], spec: str) -> Provider:
    """Return the provider that gets a request for `spec`; raises UsageError if there is none."""
    return _split_spec(settings, environ, spec.strip())[0]


def describe_model(settings: Settings, provider: Provider, model: str) -> ResolvedModel:
    """Return the limits and the price of a model; endpoint and key stay empty."""
    row = provider.select_api(_choose_api(settings, provider, model), model)
    return _with_limits(settings, row, model, "", "")


def list_corrections(settings: Settings, resolved: ResolvedModel) -> list[str]:
    """Return the fields of the model that the user has set."""
    layers = _select_layers(settings, resolved.provider, resolved.model)
    set_fields = [name for layer in layers for name in layer.model_dump(exclude_none=True)]
    return list(dict.fromkeys(set_fields))


def _split_spec(settings: Settings, environ: Mapping[str, str], spec: str) -> tuple[Provider, str]:
    """Return the provider and its name for the model.

    A known first part, in lower case, is always the provider; alone it means its default model. An
    unknown one is part of the model's name (`Qwen/Qwen3-Coder` on a server of one's own) if the
    user has named the endpoint, or if the provider's names have slashes; otherwise it is an error.
    A gateway that the user has named gets every name as a whole.
    """
    for separator in "/:":
        first, _, rest = spec.partition(separator)
        if first == first.lower() and find_provider(first):
            row = get_provider(first)
            if rest and (gateway := _find_gateway(settings, environ, row)):
                return gateway, f"{first}/{rest}"
            return row, rest or row.default_model
    chosen = detect_provider(settings, environ)
    slashed = chosen is not None and (chosen.slashed_models or chosen.find_endpoint(environ))
    if "/" in spec and not (slashed or settings.litellm.base_url):
        raise build_unknown_provider_error(spec.partition("/")[0])
    if chosen is None:
        raise build_no_provider_error()
    if not spec:
        return chosen, chosen.default_model
    return _find_provider_of(spec, settings, environ, chosen), spec


def _find_gateway(settings: Settings, environ: Mapping[str, str], row: Provider) -> Provider | None:
    """Return the server for all models that the user has named, if `row` is another one."""
    endpoint = settings.litellm
    if not row.base_url:  # a script or a recording
        return None
    if not endpoint.provider:
        # a login is for its own service only: such a name is one of the server's
        return get_provider("litellm") if row.login and endpoint.base_url else None
    named = get_provider(endpoint.provider)
    is_own = named.maker_name == row.maker_name
    return named if _serves_all_makers(named, settings, environ) and not is_own else None


def _serves_all_makers(provider: Provider, settings: Settings, environ: Mapping[str, str]) -> bool:
    """Return whether any model may be there: at a gateway, or on a server of the user's."""
    if provider.name == "openai":
        return bool(settings.litellm.base_url or provider.find_endpoint(environ))
    return provider.slashed_models or provider.local


def _check_named(settings: Settings, row: Provider, configured: str) -> None:
    """Raise UsageError if the configured model is of another provider than the configured one."""
    if not settings.litellm.provider or not row.base_url:
        return
    named = get_provider(settings.litellm.provider)
    if named.maker_name != row.maker_name:
        raise UsageError(
            text(
                "`model.default` is `{model}`, but `litellm.provider` is `{provider}`",
                model=configured,
                provider=named.name,
            ),
            hint=text(
                "write `{provider}/NAME`, or set `litellm.provider` (`LLC_PROVIDER`) to `{other}`",
                provider=named.name,
                other=row.name,
            ),
        )


def _find_provider_of(
    model: str, settings: Settings, environ: Mapping[str, str], detected: Provider
) -> Provider:
    """Return the provider of a bare model name.

    The catalogue decides between the providers that have a key or a login. A provider or an
    endpoint that the user has named gets every name, and the detected one a name that the catalogue
    does not know. The address of one maker (`GLM_BASE_URL`) is not for the models of others.
    """
    is_named = settings.litellm.provider or settings.litellm.base_url
    provider_names, endpoint = list_providers_of(model), detected.find_endpoint(environ)
    has_all = endpoint and _serves_all_makers(detected, settings, environ)
    if is_named or not provider_names or detected.name in provider_names or has_all:
        return detected
    rows = [row for name in provider_names if (row := find_provider(name))]
    stored = find_credentials(environ)
    with_key = [
        row
        for row in rows
        if row.available and (row.find_key(environ) or row.find_stored_key(stored))
    ]
    if with_key:
        return with_key[0]
    if endpoint:
        return detected
    # the models of a proxy, and of a server on this machine, are not in the catalogue
    return get_provider(provider_names[0]) if list_models_of(detected.name) else detected


def _choose_base_url(chosen: Provider, configured: str, environ: Mapping[str, str]) -> str:
    url = clean_value(configured) or chosen.find_endpoint(environ) or chosen.base_url
    if not url and not chosen.base_url:
        return ""
    try:
        return trim_base_url(url)
    except ValueError:
        raise UsageError(
            text("The base URL of `{name}` is not an http(s) address", name=chosen.name),
            hint="write it like `https://host/v1`",
        ) from None


def _check_key(chosen: Provider, base_url: str, key: str) -> None:
    """Require a key, except at a custom endpoint or on this machine."""
    if key and not is_valid_key(key):
        raise UsageError(
            text("the key for `{name}` contains invalid characters", name=chosen.name),
            hint="copy it again, without quotes, blanks or line ends",
        )
    if not key and chosen.login:
        raise UsageError(
            text("you are not logged in to `{name}`", name=chosen.name),
            hint=text("run `mcode auth login {name}`", name=chosen.name),
        )
    local = urlsplit(base_url).hostname in ("localhost", "127.0.0.1", "::1")
    if not key and chosen.key_variables and base_url == chosen.base_url and not local:
        variables = " or ".join(f"`{name}`" for name in chosen.key_variables)
        raise UsageError(
            text("No key for the provider `{name}`", name=chosen.name),
            hint=text(
                "run `mcode auth login {name}`, or set {variables}",
                name=chosen.name,
                variables=variables,
            ),
        )


def _check_package(resolved: ResolvedModel) -> None:
    """Raise UsageError if the model's protocol needs an extra that is not installed."""
    if resolved.api == "langchain-openai" and find_spec("langchain_openai") is None:
        raise UsageError(
            text(
                "Model `{name}` uses `langchain-openai`; this package is not installed",
                name=resolved.name,
            ),
            hint='pip install "maxagent[openai]"',
        )


def _with_limits(
    settings: Settings, chosen: Provider, model: str, base_url: str, key: str
) -> ResolvedModel:
    """Set each limit from `PROVIDER/MODEL`, else `MODEL`, else the catalogue, else `model`.

    A `model.context_length` that is set makes the catalogue's window smaller, never larger.
    """
    section, entry = settings.model, find_model(f"{chosen.name}/{model}")
    layers = _select_layers(settings, chosen, model)
    temperature = _find_first(*(layer.temperature for layer in layers))
    catalogued = entry and entry.context
    if catalogued and "context_length" in section.model_fields_set:
        catalogued = min(catalogued, section.context_length)
    window = _find_first(*(layer.context_length for layer in layers), catalogued)
    return ResolvedModel(
        provider=chosen,
        model=model,
        base_url=base_url,
        api_key=key,
        api=chosen.api,
        context_length=window or section.context_length,
        has_known_window=window is not None,
        max_tokens=_find_first(*(layer.max_tokens for layer in layers), _get_answer_limit(entry))
        or section.max_tokens,
        temperature=section.temperature
        if temperature is None and (entry is None or entry.temperature)
        else temperature,
        thinking=_find_first(*(layer.thinking for layer in layers), entry and entry.thinking),
        parallel_tool_calls=section.parallel_tool_calls,
        extra_headers=settings.litellm.extra_headers,
        read_seconds=settings.litellm.timeout,
        tool_calls=_choose_tool_calls(layers, entry),
        vision=_find_first(*(layer.vision for layer in layers), entry and entry.vision),
        price=_find_first(*(_to_price(layer) for layer in layers), entry and entry.price),
    )


def _choose_tool_calls(layers: Sequence[ModelLimits], entry: CatalogEntry | None) -> ToolCalls:
    for layer in layers:
        if layer.tool_calls and layer.tool_calls != "auto":
            return layer.tool_calls
    return entry.tool_calls if entry else "auto"


def _to_price(layer: ModelLimits) -> Price | None:
    own = layer.price
    return Price(own.input, own.output, own.cached) if own else None


def _select_layers(settings: Settings, chosen: Provider, model: str) -> list[ModelLimits]:
    """Return the user's settings of the model: `PROVIDER/MODEL` by any name first, then `MODEL`."""
    names = [*(f"{name}/{model}" for name in (chosen.name, *chosen.aliases)), model]
    return [settings.model.models[name] for name in names if name in settings.model.models]


def _choose_api(settings: Settings, row: Provider, model: str) -> Api:
    """Return the protocol: the user's for the model, else the catalogue's, else the provider's."""
    for layer in _select_layers(settings, row, model):
        if layer.api:
            return layer.api
    entry = find_model(f"{row.name}/{model}")
    return entry.api if entry and entry.api else row.api


def _get_answer_limit(entry: CatalogEntry | None) -> int | None:
    return min(entry.output, USUAL_ANSWER) if entry else None


def _find_first(*values: _T | None) -> _T | None:
    return next((value for value in values if value is not None), None)
