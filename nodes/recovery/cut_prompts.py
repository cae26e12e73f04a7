"""Prompts that a server of the user's cuts without a word, seen by what it says it has read."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, AnyMessage

from ...config.text import text
from ...models.resolver import ResolvedModel
from ..conversation.token_estimate import estimate_tokens

NOTICE = (
    "`{model}` was sent about {sent} tokens and read {read}: its server cuts the prompt. Give it a "
    "larger context: `OLLAMA_CONTEXT_LENGTH` or `num_ctx` of Ollama, `-c` of llama.cpp, the "
    "model's settings in LM Studio"
)
# A server that counts less does not count prompts
MIN_READ = 1_000
# A count below this share of the estimate is no error of the estimate
MIN_SHARE = 0.4
# The same count twice, of this kind, is a window; the estimate is above it by this factor
ROUND, ABOVE = 1_024, 1.15
_read_last: dict[str, int] = {}
_noticed: set[str] = set()


def find_cut_prompt(
    thread: str, model: ResolvedModel, fixed: int, request: Sequence[AnyMessage], answer: AIMessage
) -> str:
    """Return a notice, once a thread, if the server has read far less than it was sent; else empty.

    `fixed` are the estimated tokens of system prompt and tools.
    """
    read = answer.usage_metadata["input_tokens"] if answer.usage_metadata else 0
    if read < MIN_READ or thread in _noticed or not _is_of_user(model):
        return ""
    sent, last = fixed + estimate_tokens(request), _read_last.get(thread)
    _read_last[thread] = read
    is_window = last == read and read % ROUND == 0 and sent > read * ABOVE
    if read >= sent * MIN_SHARE and not is_window:
        return ""
    _noticed.add(thread)
    return text(NOTICE, model=model.name, sent=f"{sent:,}", read=f"{read:,}")


def _is_of_user(model: ResolvedModel) -> bool:
    """Return whether the server is the user's own: at another address than the provider's."""
    host = urlsplit(model.base_url).hostname or ""
    is_near = host in ("localhost", "::1", "host.docker.internal") or host.startswith(
        ("127.", "10.", "192.168.", "172.")
    )
    return model.provider.local or is_near or host.endswith((".local", ".internal", ".lan"))
