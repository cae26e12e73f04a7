"""What the tests of a conversation share."""

from pathlib import Path

import pytest
from repl_session import Spoken


@pytest.fixture
async def spoken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Spoken:
    """A session in a project of its own."""
    return Spoken(tmp_path, monkeypatch, capfd)
