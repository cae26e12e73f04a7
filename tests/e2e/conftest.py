"""What the end-to-end tests share."""

from pathlib import Path

import pytest
from program import Program
from provider import Provider


@pytest.fixture
def program(tmp_path: Path, provider: Provider) -> Program:
    """`mcode` with an empty project, against the test's server."""
    return Program(tmp_path, provider.url)
