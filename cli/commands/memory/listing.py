"""`mcode memory`: list, search and show cards, without loading LangGraph."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import paths
from ...i18n.catalogs import t
from ...prompts.memory_claim import warn_of_claim
from ...rendering.output import echo_json
from .card_output import show_card, show_cards, to_mapping
from .card_type import CardTypeName

if TYPE_CHECKING:
    from ....memory.cards.card import Card

app = typer.Typer(
    help="List, add, edit and forget what is remembered across threads.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

CardId = Annotated[str, typer.Argument(metavar="ID", help="Card ID or its beginning.")]
CardIds = Annotated[list[str], typer.Argument(metavar="ID", help="Card IDs or their beginnings.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_cards(
    type: Annotated[
        CardTypeName | None, typer.Option("--type", help="List only cards of this type.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also list proposed, expired and retired cards.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List your cards and those of this project, newest first."""
    cards = [
        card
        for card in read_all_cards()
        if (every or card.is_current()) and (type is None or card.type == type.value)
    ]
    show_cards(cards, as_json=as_json, none=t("memory.none"))
    warn_of_claim(Path.cwd())


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="Words to find.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="Maximum number of cards.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Search the cards as the model does, best matches first."""
    from ....memory.cards.search import rank_cards

    hits = rank_cards(query, [card for card in read_all_cards() if card.is_current()], limit)
    scores = {hit.card.id: {"score": round(hit.score, 3)} for hit in hits}
    cards = [hit.card for hit in hits]
    show_cards(cards, as_json=as_json, none=t("memory.not_found"), extra=scores)


@app.command()
def show(card_id: CardId, as_json: AsJson = False) -> None:
    """Show a card, where it comes from, and whether it may be out of date."""
    from ....memory.cards.card_lookup import find_card
    from ....memory.cards.staleness import StalenessCheck

    card = find_card(card_id, read_all_cards())
    stale = StalenessCheck(Path.cwd()).check_card(card)
    if as_json:
        echo_json(to_mapping(card, stale))
    else:
        show_card(card, stale)


def read_all_cards() -> "list[Card]":
    """Read all cards of the user and the current project, the newest first."""
    from ....memory.cards.listing import read_cards
    from ....memory.cards.namespaces import identify_project

    return read_cards(paths.locate_home(), identify_project(Path.cwd()))
