"""`mcode memory add`, `edit`, `forget` and `link`, which change cards through LangGraph's store."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ....config import exit_codes, paths
from ....config.errors import NotInteractiveError, UsageError
from ....config.text import text
from ....config.trust.decision import check_trust
from ...i18n.catalogs import t
from ...lazy_imports import without_collector
from ...prompts.memory_claim import warn_of_claim
from ...prompts.sync_bridge import run_sync
from ...rendering.output import echo, echo_json
from ...rendering.sanitize import sanitize_line
from .card_output import SHORT_ID, report_cards, to_mapping
from .card_type import CardTypeName
from .listing import AsJson, CardId, CardIds, read_all_cards

if TYPE_CHECKING:
    from ....memory.cards.card import Card
    from ....memory.cards.library import Addition, CardLibrary

Result = TypeVar("Result")
Tags = Annotated[
    list[str] | None, typer.Option("--tag", help="Word to find it by; repeat for more.")
]
Paths = Annotated[
    list[str] | None, typer.Option("--path", help="File that it is about; repeat for more.")
]
Expires = Annotated[
    str | None,
    typer.Option("--expires", metavar="DATE", help="Day on which it expires, such as 2030-12-31."),
]


def add(
    content: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember.")],
    type: Annotated[
        CardTypeName, typer.Option("--type", help="Type of the card.")
    ] = CardTypeName.fact,
    for_user: Annotated[
        bool, typer.Option("--user", help="Remember it in all projects, not only in this one.")
    ] = False,
    tags: Tags = None,
    about: Paths = None,
    expires: Expires = None,
    replaces: Annotated[
        str, typer.Option("--replaces", metavar="ID", help="Card that it corrects.")
    ] = "",
    both: Annotated[
        bool, typer.Option("--both", help="Add it even if a card says nearly the same.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add a card. Exit code 2: the text is not allowed, such as a secret."""
    if not for_user:
        warn_of_claim(Path.cwd())
    addition = run_on_library(
        lambda library: _add_card(
            library,
            content,
            type=type,
            for_user=for_user,
            tags=tuple(tags or ()),
            about=tuple(about or ()),
            expires=expires or "",
            replaces=replaces,
            both=both,
        )
    )
    _validate_outcome(addition)
    _warn_of_permission(addition.card)
    _warn_if_off()
    if not for_user:
        _warn_if_untrusted()
    if as_json:
        echo_json({"outcome": addition.outcome, "card": to_mapping(addition.card)})
        return
    echo(addition.card.id)
    echo(t(f"memory.outcome.{addition.outcome}", id=addition.card.id[:SHORT_ID]), err=True)


def _validate_outcome(addition: "Addition") -> None:
    """Raise UsageError if nothing was kept, since a card says nearly the same."""
    if addition.outcome != "near":
        return
    card_id = addition.card.id[:SHORT_ID]
    raise UsageError(
        text(
            "card `{card_id}` says nearly the same: {content}",
            card_id=card_id,
            content=addition.card.content,
        ),
        hint=text(
            "add `--replaces {card_id}` to correct it, or `--both` to keep both", card_id=card_id
        ),
    )


def _is_by_hand() -> bool:
    """Return whether a person types: a program's text may not speak of permissions."""
    return sys.stdin.isatty()


def _read_content(content: str) -> str:
    from ....memory.cards.admission import remove_hidden

    return remove_hidden(content) if _is_by_hand() else content


def _warn_of_permission(card: "Card") -> None:
    """Say that a card decides nothing, if it sounds as if it did."""
    from ....memory.cards.admission import sounds_like_permission

    if sounds_like_permission(card.content, *card.tags, *card.paths):
        echo(t("memory.no_permission"), err=True)


def _warn_if_off() -> None:
    """Say where nobody would read the card."""
    from ....config.settings.loader import load_settings

    if not load_settings(Path.cwd(), paths.locate_home()).settings.memory.enabled:
        echo(t("memory.off"), err=True)


def _warn_if_untrusted() -> None:
    """Say that no run here reads the project's cards; a run trusts an empty folder."""
    trusted = check_trust(Path.cwd(), paths.locate_home()).trusted
    if not trusted and any(Path.cwd().iterdir()):
        echo(t("memory.untrusted"), err=True)


async def _add_card(
    library: "CardLibrary",
    content: str,
    *,
    type: CardTypeName,
    for_user: bool,
    tags: tuple[str, ...],
    about: tuple[str, ...],
    expires: str,
    replaces: str,
    both: bool,
) -> "Addition":
    from ....memory.cards.library import CardDraft

    draft = CardDraft(
        _read_content(content),
        by_hand=_is_by_hand(),
        type=type.value,
        scope="user" if for_user else "project",
        tags=tags,
        paths=about,
        expires_at=_parse_day(expires),
        replaces=(await library.find(replaces)).id if replaces else "",
    )
    return await library.add(draft, allow_near=both)


def edit(
    card_id: CardId,
    content: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="New text; default: unchanged.")
    ] = None,
    type: Annotated[CardTypeName | None, typer.Option("--type", help="New type.")] = None,
    tags: Tags = None,
    about: Paths = None,
    expires: Expires = None,
    as_json: AsJson = False,
) -> None:
    """Change a card. A proposed card becomes active."""
    if (content, type, tags, about, expires) == (None,) * 5:
        raise UsageError("nothing to change", hint="give a new text or an option")

    async def edit_card(library: "CardLibrary") -> dict[str, object]:
        card = await library.edit(
            (await library.find(card_id)).id,
            content=None if content is None else _read_content(content),
            type=type.value if type else None,
            tags=None if tags is None else tuple(tags),
            paths=None if about is None else tuple(about),
            expires_at=None if expires is None else _parse_day(expires),
            by_hand=_is_by_hand(),
        )
        _warn_of_permission(card)
        return to_mapping(card)

    _report(run_on_library(edit_card), "memory.edited", as_json)


def forget(card_ids: CardIds, as_json: AsJson = False) -> None:
    """Delete cards permanently."""

    async def delete_cards(library: "CardLibrary") -> "list[Card]":
        cards = [await library.find(card_id) for card_id in card_ids]
        for card in cards:
            await library.delete(card.id)
        return cards

    report_cards(run_on_library(delete_cards), "memory.forgotten", as_json)


def link(
    folder: Annotated[
        str,
        typer.Argument(
            help="Folder of the other project, or the remote that an earlier version knew it by; "
            "`.` ends the link."
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Use another project's memory here. This project's cards move there permanently."""
    from ....memory.cards.namespaces import identify_project
    from ....memory.cards.project_claim import identify_place

    place = str(Path(folder).resolve()) if Path(folder).is_dir() else folder
    other = identify_place(paths.locate_home(), place)
    is_own = other == identify_project(Path.cwd())
    moving = 0 if is_own else _count_moving(other)
    if moving and not yes and not _confirm_link(place, moving):
        raise typer.Exit(exit_codes.FAILED)
    moved = run_on_library(lambda library: library.link(other))
    if as_json:
        echo_json({"folder": place, "project": other, "moved": moved})
    elif is_own:
        echo(t("memory.unlinked"), err=True)
    else:
        echo(t("memory.linked", folder=sanitize_line(place), count=moved), err=True)


def _count_moving(other: str) -> int:
    """Count the cards of this project that the other one does not have."""
    from ....memory.cards.listing import read_cards

    other_ids = {card.id for card in read_cards(paths.locate_home(), other)}
    return sum(card.id not in other_ids for card in read_all_cards())


def _confirm_link(place: str, count: int) -> bool:
    from ...prompts.choice import confirm

    if not sys.stdin.isatty():
        raise NotInteractiveError(hint="add `--yes` to move the cards without asking")
    return confirm(t("memory.link", folder=sanitize_line(place), count=count))


def run_on_library(action: "Callable[[CardLibrary], Awaitable[Result]]") -> Result:
    """Run something on the cards of the user and the current project."""
    with without_collector():
        from ....memory.cards.store import open_library

    async def run() -> Result:
        async with open_library(paths.locate_home(), Path.cwd()) as library:
            return await action(library)

    return run_sync(run())


def _parse_day(day: str) -> str:
    """Return the first moment after a day; empty: never."""
    from datetime import UTC, date, datetime, time, timedelta

    if not day:
        return ""
    try:
        after = date.fromisoformat(day) + timedelta(days=1)
    except ValueError:
        raise UsageError(
            text("`{day}` is not a date", day=day), hint="write it as 2030-12-31"
        ) from None
    end = datetime.combine(after, time(), UTC)
    if end <= datetime.now(UTC):
        raise UsageError(
            text("`{day}` is in the past", day=day), hint="give the last day on which it holds"
        )
    return end.isoformat(timespec="seconds")


def _report(card: dict[str, object], key: str, as_json: bool) -> None:
    if as_json:
        echo_json(card)
    else:
        echo(t(key, id=str(card["id"])[:SHORT_ID]), err=True)
