"""Where each provider's key or login comes from; never the key itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..config.network.variables import read_variable
from ..config.settings.schema import Settings
from .auth.credentials import Credentials, find_credentials
from .providers import Provider, detect_provider, load_providers

KEY_SETTING = "litellm.api_key"


@dataclass(frozen=True)
class KeySource:
    """The place of the key or login that a provider is asked with."""

    provider: str
    kind: Literal["settings", "environment", "key", "login"]
    """`key` and `login` are stored by MaxAgent."""
    name: str = ""
    """The setting or the variable; empty for what is stored."""
    account: str = ""
    expires_at: float = 0.0
    """Unix time at which the present token ends; 0: it does not."""


def list_key_sources(settings: Settings, environ: Mapping[str, str]) -> list[KeySource]:
    """Return the source of each provider that has a key or a login."""
    stored = find_credentials(environ)
    sources = (
        find_key_source(provider, settings, environ, stored)
        for provider in load_providers().values()
    )
    return [source for source in sources if source]


def find_key_source(
    provider: Provider, settings: Settings, environ: Mapping[str, str], stored: Credentials
) -> KeySource | None:
    """Return where the provider's key comes from; None if it has none."""
    if settings.litellm.api_key.strip() and not provider.login:
        chosen = detect_provider(settings, environ)
        if chosen and chosen.name == provider.name:
            return KeySource(provider.name, "settings", KEY_SETTING)
    for name in provider.key_variables:
        if read_variable(environ, name):
            return KeySource(provider.name, "environment", name)
    credential = provider.find_credential(stored)
    if credential is None:
        return None
    return KeySource(
        provider.name,
        "login" if provider.login else "key",
        account=credential.account,
        expires_at=credential.expires_at,
    )
