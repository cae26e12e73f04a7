"""Short forms of what `make torture-context` does with 400 turns."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from chapter_plan import ChapterPlan
from confinement import SURROUNDINGS
from context_eval import hold_task, hold_through_kills, hold_whole, hold_without_summary

PLAN = ChapterPlan(3, pages_each=3)
SMALL = 15_000
BRIDGE = {"model": "none"}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {**SURROUNDINGS, "OPENAI_API_KEY": "for-a-server-here"}.items():
        monkeypatch.setenv(name, value)
    yield


def test_compacted_conversation_loses_nothing(tmp_path: Path) -> None:
    held = hold_whole(PLAN, tmp_path, SMALL, BRIDGE)
    assert held.faults == []
    assert len(held.conversation.list_compactions()) >= 2


def test_task_changes_prefixes_only_when_compacted(tmp_path: Path) -> None:
    plan = ChapterPlan(1, (2_400,), pages_each=5)
    assert hold_task(plan, tmp_path, SMALL).faults == []


def test_conversation_without_summaries_goes_wrong(tmp_path: Path) -> None:
    assert hold_without_summary(PLAN, tmp_path, SMALL).faults == []


def test_killed_conversation_writes_the_same_files(tmp_path: Path) -> None:
    # inside the request for a summary
    plan = ChapterPlan(2, pages_each=2)
    assert hold_through_kills(plan, tmp_path, 1, Random(1), 12_000) == []
