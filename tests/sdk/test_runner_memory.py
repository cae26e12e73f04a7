"""Off means off: a run without memory calls the store not once, and creates no file."""

from collections.abc import Iterable
from typing import Any

import pytest
from langgraph.store.base import Op, Result
from repair_project import DONE, READ, REPAIR, calls, last_of

from maxagent import trust
from maxagent.config.paths import locate_memory
from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.store import CardStore, open_library


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[Op]:
    """Every operation that reaches the store; it does its work as ever."""
    operations: list[Op] = []
    batch = CardStore.abatch

    async def count(self: CardStore, ops: Iterable[Op]) -> list[Result]:
        counted = list(ops)
        operations.extend(counted)
        return await batch(self, counted)

    monkeypatch.setattr(CardStore, "abatch", count)
    return operations


async def test_run_without_memory_calls_no_store(
    runner: Any, project: Any, play: Any, called: list[Op]
) -> None:
    (project / ".llc.yaml").write_text("memory: {enabled: false}\n")
    trust(project, runner.home)
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair double", folder=project, options=script))
    assert (end.outcome, called) == ("verified", [])
    assert not locate_memory(runner.home).exists()


async def test_run_without_memory_leaves_cards_as_they_are(
    runner: Any, project: Any, play: Any, called: list[Op]
) -> None:
    async with open_library(runner.home, project) as library:
        card = (await library.add(CardDraft("To repair double, read numbers_.py"))).card
    (project / ".llc.yaml").write_text("memory: {enabled: false}\n")
    trust(project, runner.home)
    called.clear()
    script = play(calls([READ], [REPAIR], [DONE]))
    await last_of(runner.task("repair double", folder=project, options=script))
    assert called == []
    async with open_library(runner.home, project) as library:
        assert await library.list() == [card]
