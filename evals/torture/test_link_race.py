"""Links that are swapped in while tools work lead nowhere; `make race` does it for longer."""

from pathlib import Path

import pytest
from link_race import Arena, race

from maxagent.tools.filesystem.safe_open import find_kernel_open


@pytest.mark.parametrize("opening", ["by the kernel", "step by step"])
async def test_no_swapped_link_leads_anywhere(
    opening: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if opening == "step by step":
        monkeypatch.setattr("maxagent.tools.filesystem.safe_open.find_kernel_open", lambda: None)
    elif not find_kernel_open():
        pytest.skip("this system has no openat2")
    report = await race(Arena(tmp_path), 1.5, least=20)
    assert report.holes == []
    assert report.swaps > 100 and report.done.total() > 10
