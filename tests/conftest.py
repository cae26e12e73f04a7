"""What tests of every floor need."""

from collections.abc import Iterator

import pytest
from provider import Provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A real HTTP server that speaks chat completions: see `tests/fixtures/provider.py`."""
    with Provider() as server:
        yield server
