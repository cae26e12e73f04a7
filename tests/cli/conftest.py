"""What the tests of the command line share."""

from pathlib import Path

import pytest
from thread_history import Kept


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """A thread with a history of files, made without any model."""
    return Kept(tmp_path, monkeypatch)
