"""What tests of every floor need."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from confinement import FOUND, SURROUNDINGS
from hypothesis import HealthCheck, settings
from provider import Provider

os.environ.update(SURROUNDINGS)
# No test fails since the machine has other things to do. Where `CI` is set, hypothesis's own
# profile tries the same examples every time; elsewhere each run looks further.
settings.register_profile(
    "busy", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")
LONG = ("torture", "e2e", "docs")
"""Folders whose files take long, however few tests they have."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long goes first, so that at the end no worker waits for another's last file."""
    items.sort(key=lambda item: item.path.parent.name not in LONG)


def pytest_report_header() -> str:
    """Say aloud what this machine lacks."""
    if FOUND.is_on:
        return f"sandbox: {FOUND.backend}"
    return f"sandbox: its tests are SKIPPED, the others run without one: {FOUND.why_none}"


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A real HTTP server that speaks chat completions: see `tests/fixtures/provider.py`."""
    with Provider() as server:
        yield server


@pytest.fixture(autouse=True, scope="session")
def home_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What a test does not send elsewhere must not reach the developer's own `~/.llc`."""
    own = tmp_path_factory.mktemp("home")
    os.environ["MAXAGENT_HOME"] = str(own)
    yield own
    del os.environ["MAXAGENT_HOME"]
