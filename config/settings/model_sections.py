"""The schema of providers and models."""

from typing import Literal

from pydantic import Field

from .section import Section


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
    """The longest delay; a longer one that the provider asks for is kept."""
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
