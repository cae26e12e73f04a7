import pytest

from maxagent.cli.repl.prompt import ttl_cache
from maxagent.cli.repl.prompt.ttl_cache import FRESH, Remembered


def test_what_was_found_is_looked_for_again_when_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    now, looked = [100.0], list[float]()
    monkeypatch.setattr(ttl_cache.time, "monotonic", lambda: now[0])
    names = Remembered(lambda: looked.append(now[0]) or len(looked))
    assert [names(), names()] == [1, 1]
    now[0] += FRESH
    assert names() == 1
    now[0] += 0.1
    assert [names(), names()] == [2, 2]
