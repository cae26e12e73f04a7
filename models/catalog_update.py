"""Refresh of the catalogue from an address that the user has named."""

import asyncio
from pathlib import Path

from ..config.errors import UsageError
from ..config.network.response_limits import MAX_JSON_VALUES, ResponseLimits
from ..config.paths import ensure_data_folder
from ..config.security.private_files import replace_file
from ..config.text import text
from .catalog import NO_CATALOG, locate_refreshed, parse_catalog

FETCH_SECONDS = 30.0
# Bytes of a catalogue: ours has 50 kB
MAX_BYTES = 8_000_000


def refresh_catalog(url: str, home: Path) -> int:
    """Fetch and keep the catalogue; return how many models it has.

    Raises UsageError, with nothing changed, if it cannot be fetched or is not a catalogue.
    """
    content = asyncio.run(_fetch(url))
    try:
        models = parse_catalog(content)
    except NO_CATALOG as error:
        raise UsageError(
            text("`{url}` is not a catalogue of models", url=url),
            hint="docs/models.md describes its format",
        ) from error
    ensure_data_folder(home)
    replace_file(locate_refreshed(home), content)
    return len(models)


async def _fetch(url: str) -> bytes:
    import httpx2  # late: the other light commands do without

    from ..config.network.client import AddressCheck, open_client
    from ..config.network.failures import find_hint

    limits = ResponseLimits(MAX_BYTES, 2 * FETCH_SECONDS, max_values=MAX_JSON_VALUES)
    try:
        async with open_client(
            limits, timeout=FETCH_SECONDS, check=AddressCheck(url), follow_redirects=True
        ) as client:
            return (await client.get(url)).raise_for_status().content
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        words = str(error) or type(error).__name__
        raise UsageError(
            text("the catalogue could not be fetched: {words}", words=words),
            hint=find_hint(error) or "check `model.catalog_url`",
        ) from error
