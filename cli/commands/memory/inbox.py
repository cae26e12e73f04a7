"""`mcode memory inbox`: cards that wait for the user's decision."""

from typing import TYPE_CHECKING

import typer

from ...i18n.catalogs import t
from .card_output import report_cards, show_cards
from .editing import run_on_library
from .listing import AsJson, CardIds, read_all_cards

if TYPE_CHECKING:
    from ....memory.cards.card import Card
    from ....memory.cards.library import CardLibrary

app = typer.Typer(
    help="List cards that wait for your decision: proposed by the model, or unused for 90 days.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def list_waiting(context: typer.Context, as_json: AsJson = False) -> None:
    """List cards that wait for your decision: proposed by the model, or unused for 90 days."""
    if context.invoked_subcommand is None:
        list_proposals(as_json)


def list_proposals(as_json: bool = False) -> None:
    """List what waits for the user."""
    waiting = [card for card in read_all_cards() if card.is_waiting()]
    show_cards(waiting, as_json=as_json, none=t("memory.inbox.none"))


@app.command()
def keep(card_ids: CardIds, as_json: AsJson = False) -> None:
    """Keep cards: a proposed one becomes active, an unused one counts as new."""

    async def keep_cards(library: "CardLibrary") -> "list[Card]":
        cards = [await library.find(card_id) for card_id in card_ids]
        return [await library.activate(card.id) for card in cards]

    report_cards(run_on_library(keep_cards), "memory.kept", as_json)


@app.command()
def drop(card_ids: CardIds, as_json: AsJson = False) -> None:
    """Drop cards: they are retired, and not proposed again."""

    async def drop_cards(library: "CardLibrary") -> "list[Card]":
        cards = [await library.find(card_id) for card_id in card_ids]
        return [await library.retire(card.id) for card in cards]

    report_cards(run_on_library(drop_cards), "memory.dropped", as_json)
