"""The provider of a pasted key, by the form of the key (pure)."""

import re

from ...config.network.variables import clean_value

# Provider and form, the narrower forms first. Keys of other providers, such as `sk-` and letters,
# look alike: those forms are left out.
KEY_SHAPES: tuple[tuple[str, str], ...] = (
    ("anthropic", r"sk-ant-[\w-]{20,}"),
    ("openrouter", r"sk-or-[\w-]{20,}"),
    ("openai", r"sk-(proj|svcacct|admin)-[\w-]{20,}"),
    ("groq", r"gsk_[A-Za-z0-9]{20,}"),
    ("xai", r"xai-[A-Za-z0-9]{20,}"),
    ("gemini", r"AIza[\w-]{35}"),
    ("glm", r"[0-9a-f]{32}\.[A-Za-z0-9]{16}"),
    ("copilot", r"gh[ou]_[A-Za-z0-9]{36,}"),
    ("minimax", r"sk-(api|cp)-[\w-]{40,}"),
)


# Beginning of keys that several providers issue, and these providers: the most usual first
_SHARED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("sk-", ("deepseek", "qwen", "kimi", "openai", "litellm", "minimax")),
    ("", ("mistral", "glm", "glm-coding", "minimax", "litellm", "openai")),
)

# How a page shows a key in a request
_HEADER = re.compile(r"(?:Authorization:\s*)?Bearer\s+|x-api-key:\s*", re.IGNORECASE)


def list_candidates(key: str) -> list[str]:
    """Return the providers that a key without a form of its own may belong to."""
    return next(list(names) for start, names in _SHARED if key.startswith(start))


def recognize_key(key: str) -> str:
    """Return the name of the provider that issues keys of this form; empty if several may."""
    providers = (name for name, form in KEY_SHAPES if re.fullmatch(form, clean_key(key)))
    return next(providers, "")


def clean_key(pasted: str) -> str:
    """Return the key without quotation marks, blanks and the header's word before it."""
    return clean_value(_HEADER.sub("", clean_value(pasted)))


def is_valid_key(key: str) -> bool:
    """Return whether it can be sent as a key: printable ASCII without blanks."""
    return bool(key) and key.isascii() and key.isprintable() and " " not in key
