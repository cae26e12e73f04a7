"""TODO: what this is."""

import pytest

from maxagent.cli.repl import prompt_factory
from maxagent.cli.repl.prompt_factory import FRESH, TtlCache


def test_expired_value_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now, looked = [100.0], list[float]()
    monkeypatch.setattr(prompt_factory.time, "monotonic", lambda: now[0])
    names = TtlCache(lambda: looked.append(now[0]) or len(looked))
    assert [names(), names()] == [1, 1]
    now[0] += FRESH
    assert names() == 1
    now[0] += 0.1
    assert [names(), names()] == [2, 2]
