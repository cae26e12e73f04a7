import gc

import pytest

from maxagent.cli.lazy_imports import COLLECTION_THRESHOLD, collect_seldom, without_collector


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()


def test_collector_is_paused_and_restored_after_failed_import():
    with pytest.raises(ImportError), without_collector():
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()


def test_what_was_imported_is_never_looked_at_again():
    with without_collector():
        before = gc.get_freeze_count()
    assert gc.get_freeze_count() > before


def test_collector_runs_seldom():
    before = gc.get_threshold()
    try:
        collect_seldom()
        assert gc.get_threshold() == (COLLECTION_THRESHOLD, *before[1:])
    finally:
        gc.set_threshold(*before)
