"""The table of `docs/models.md` is that of `models/providers.json`."""

from pathlib import Path

import pytest

from maxagent.models.providers import Provider, load_providers

PAGE = (Path(__file__).parents[2] / "docs/models.md").read_text(encoding="utf-8")
ROWS = [row.split("|") for row in PAGE.splitlines() if row.startswith("| `")]
NOT_LISTED = ("scripted", "replay", "copilot", "program")
LISTED = [row for name, row in load_providers().items() if name not in NOT_LISTED]


@pytest.mark.parametrize("provider", LISTED, ids=lambda row: row.name)
def test_page_has_each_provider_as_it_is(provider: Provider) -> None:
    row = next(row for row in ROWS if f"`{provider.name}`" in row[1].partition("(")[0])
    assert all(f"`{alias}`" in row[1] for alias in provider.aliases)
    assert all(f"`{name}`" in row[2] for name in provider.key_variables)
    assert all(f"`{name}`" in row[3] for name in provider.list_endpoint_variables())
    assert f"`{provider.base_url}`" in row[3]
    assert not provider.default_model or f"`{provider.default_model}`" in row[4]
