"""One turn at the terminal: when the proposals of a conversation are listed."""

from repl_session import Spoken

from maxagent.cli.repl.session.turn_renderer import TurnView
from maxagent.sdk.events import CardProposed

CARD = {"id": "5c022cfa-0000", "type": "fact", "content": "Ports are random."}


async def test_proposals_are_listed_once(spoken: Spoken) -> None:
    first = TurnView(spoken.session)
    first.show_event(CardProposed(CARD))
    first.show_end(None)
    assert "1 card waits for you: 5c022cfa" in spoken.seen
    shown = spoken.seen
    TurnView(spoken.session).show_end(None)
    assert "waits for you" not in spoken.seen[len(shown) :]
    assert [*spoken.session.proposals] == [CARD["id"]]
