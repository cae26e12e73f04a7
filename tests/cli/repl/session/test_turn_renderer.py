"""One turn at the terminal: when the proposals of a conversation are listed."""

import pytest
from repl_session import Spoken

from maxagent.cli.repl.session.turn_renderer import TurnView, build_warning
from maxagent.sdk.events import CardProposed, TokenUsage


@pytest.mark.parametrize(
    ("window", "length", "limit", "text"),
    [
        (80_000, 128_000, 100_000, ""),
        (90_000, 128_000, 100_000, "holds 90,000 tokens and is compacted at 100,000."),
        (115_000, 128_000, 0, ""),
        (116_000, 128_000, 0, "116,000 of 128,000 tokens. Run `/compact`"),
        (5_000, 0, 0, ""),
    ],
)
def test_warning_comes_before_the_limit(window: int, length: int, limit: int, text: str) -> None:
    usage = TokenUsage(1, 1, 1, 0, None, window, length)
    warning = build_warning(usage, limit)
    assert text in warning and bool(text) == bool(warning)


CARD = {"id": "5c022cfa-0000", "type": "fact", "content": "Ports are random."}


async def test_proposals_are_listed_once(spoken: Spoken) -> None:
    first = TurnView(spoken.session)
    first.show_event(CardProposed(CARD))
    first.show_end(None)
    assert "1 card waits for you: 5c022cfa" in spoken.seen
    seen = spoken.seen
    TurnView(spoken.session).show_end(None)
    assert "waits for you" not in spoken.seen[len(seen) :]
    assert [*spoken.session.proposals] == [CARD["id"]]
