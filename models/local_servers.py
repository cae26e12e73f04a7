"""Model servers that run on this machine now."""

import http.client
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from .providers import Provider, load_providers

# Seconds for a server of this machine to answer
PATIENCE = 0.5


def find_local_servers(environ: Mapping[str, str]) -> list[Provider]:
    """Return the providers without a key whose server answers with a list of models."""
    local = [each for each in load_providers().values() if each.local and each.available]
    with ThreadPoolExecutor(len(local)) as threads:
        answers = list(threads.map(has_models, [locate_server(each, environ) for each in local]))
    return [each for each, answered in zip(local, answers, strict=True) if answered]


def locate_server(provider: Provider, environ: Mapping[str, str]) -> str:
    """Return the address of the provider's server."""
    return (provider.find_endpoint(environ) or provider.base_url).rstrip("/")


def has_models(base_url: str) -> bool:
    """Return whether a server answers there with a list of models, and at once."""
    try:
        parts = urlsplit(base_url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE)
        try:
            connection.request("GET", f"{parts.path}/models")
            value: Any = json.loads(connection.getresponse().read(1_000_000))
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException):
        return False
    return isinstance(value, dict) and ("data" in value or "models" in value)
