"""Refresh of the catalogue from an address that the user has named."""

from pathlib import Path

from ..config.errors import UsageError
from ..config.paths import ensure_data_folder
from ..config.security.private_files import replace_file
from ..config.text import text
from .catalog import NO_CATALOG, locate_refreshed, parse_catalog

FETCH_SECONDS = 30.0


def refresh_catalog(url: str, home: Path) -> int:
    """Fetch and keep the catalogue; return how many models it has.

    Raises UsageError, with nothing changed, if it cannot be fetched or is not a catalogue.
    """
    import httpx  # late: the other light commands do without

    try:
        response = httpx.get(url, timeout=FETCH_SECONDS, follow_redirects=True).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        words = str(error) or type(error).__name__
        raise UsageError(
            text("the catalogue could not be fetched: {words}", words=words),
            hint="check `model.catalog_url`",
        ) from error
    try:
        models = parse_catalog(response.content)
    except NO_CATALOG as error:
        raise UsageError(
            text("`{url}` is not a catalogue of models", url=url),
            hint="docs/models.md describes its format",
        ) from error
    ensure_data_folder(home)
    replace_file(locate_refreshed(home), response.content)
    return len(models)
