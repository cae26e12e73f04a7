"""What tests of every floor need."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from provider import Provider

if sys.platform == "linux" and not shutil.which("bwrap"):
    os.environ["MAXAGENT_SANDBOX__MODE"] = "off"  # its absence is told, which is not their subject


def pytest_report_header() -> str:
    """Say aloud what this machine lacks."""
    if "MAXAGENT_SANDBOX__MODE" not in os.environ:
        return "sandbox: bubblewrap"
    return "sandbox: bubblewrap is missing: its tests are skipped, the others run without it"


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
