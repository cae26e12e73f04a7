"""Proposals of a summary: few, checked, only where memory is on and the folder trusted."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from langchain_core.messages import ToolMessage

from maxagent.config.settings.schema import MemorySection, Settings
from maxagent.config.trust.decision import Trust
from maxagent.memory.cards.store import open_store
from maxagent.nodes.cards.proposals import Candidate, propose_cards
from maxagent.nodes.state import State
from maxagent.tools.workspace import Workspace

PAGE = "the payment service only accepts requests signed with the old certificate"
FACTS = [*map(Candidate, ("Backups run at night.", "Port 8080 is taken.", "Use uv.", "Tag it."))]


@dataclass(frozen=True)
class Sources:
    """What a thread's dependencies say about its memory."""

    home: Path
    workspace: Workspace
    settings: Settings = field(default_factory=Settings)
    trusted: bool = True

    @property
    def trust(self) -> Trust:
        return Trust(str(self.workspace.root), (), self.trusted)


def build_state(root: Path) -> State:
    page = ToolMessage(PAGE, tool_call_id="1", name="webfetch")
    return State(request="x", folder=str(root), messages=[page], steps=7)


async def propose(sources: Sources, *candidates: Candidate) -> list[str]:
    async with open_store(sources.home) as store:
        state = build_state(sources.workspace.root)
        cards = await propose_cards(store, sources, state, "thread", candidates)
    assert all((card.state, card.source.step) == ("proposed", 7) for card in cards)
    return [card.content for card in cards]


async def test_few_candidates_become_proposals_once(tmp_path: Path) -> None:
    sources = Sources(tmp_path / "home", Workspace(tmp_path))
    candidates = [Candidate(f"We know that {PAGE}."), *FACTS]
    assert await propose(sources, *candidates) == [fact.content for fact in FACTS[:2]]
    assert await propose(sources, *candidates) == []


@pytest.mark.parametrize(
    "memory, trusted",
    [
        (MemorySection(enabled=False), True),
        (MemorySection(propose=False), True),
        (MemorySection(), False),
    ],
)
async def test_nothing_is_proposed_where_it_must_not(
    tmp_path: Path, memory: MemorySection, trusted: bool
) -> None:
    settings = Settings(memory=memory)
    sources = Sources(tmp_path / "home", Workspace(tmp_path), settings, trusted)
    assert await propose(sources, *FACTS) == []
    assert not [*tmp_path.rglob("memory.db")]
