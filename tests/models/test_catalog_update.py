"""A refreshed catalogue, over real HTTP."""

from pathlib import Path

import pytest
from provider import Provider

from maxagent.config.errors import UsageError
from maxagent.models.catalog import find_model, load_catalog, locate_refreshed
from maxagent.models.catalog_update import refresh_catalog

CATALOG = {"models": {"glm/glm-9": {"context": 5000, "output": 100}}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    load_catalog.cache_clear()
    yield tmp_path
    load_catalog.cache_clear()


def test_refreshed_models_are_known(home: Path, provider: Provider) -> None:
    provider.script([{"status": 200, "body": CATALOG}])
    assert refresh_catalog(provider.url, home) == 1
    load_catalog.cache_clear()
    entry = find_model("glm/glm-9")
    assert entry is not None and entry.context == 5000
    assert find_model("glm/glm-4.6") is not None


def test_failed_refresh_changes_nothing(home: Path, provider: Provider) -> None:
    provider.script([{"status": 404, "body": "no"}, {"status": 200, "body": "<html>"}])
    with pytest.raises(UsageError, match="could not be fetched"):
        refresh_catalog(provider.url, home)
    with pytest.raises(UsageError, match="is not a catalogue"):
        refresh_catalog(provider.url, home)
    assert not locate_refreshed(home).exists()


def test_broken_file_leaves_the_built_in_catalog(home: Path) -> None:
    file = locate_refreshed(home)
    file.parent.mkdir()
    file.write_text("{")
    assert find_model("glm/glm-4.6") is not None
