"""Cards for display: short ID, one line, table, details, JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ...i18n.catalogs import t
from ...rendering.output import echo, echo_json, echo_wrapped
from ...rendering.sanitize import sanitize_line
from ...rendering.table import is_narrow, show_table

if TYPE_CHECKING:
    from ....memory.cards.card import Card
    from ....memory.cards.staleness import Staleness, StalenessCheck

SHORT_ID = 8


def to_mapping(card: "Card", stale: "Staleness | None" = None) -> dict[str, object]:
    """Build the JSON of a card."""
    return {
        **asdict(card),
        "expired": card.is_expired(),
        "unused": card.is_unused(),
        "missing_paths": list(stale.missing_paths) if stale else [],
        "commits_behind": stale.commits_behind if stale else 0,
    }


def show_cards(
    cards: "Sequence[Card]",
    *,
    as_json: bool,
    none: str,
    extra: Mapping[str, Mapping[str, object]] | None = None,
) -> None:
    """Print cards as a table or as JSON, each with `extra` by its ID; without any, say `none`."""
    from ....memory.cards.staleness import StalenessCheck

    check = StalenessCheck(Path.cwd())
    if as_json:
        more = extra or {}
        echo_json(
            [
                {**to_mapping(card, check.check_card(card)), **more.get(card.id, {})}
                for card in cards
            ]
        )
    elif cards:
        _show_table(cards, check)
    else:
        echo(none, err=True)


def report_cards(cards: "Sequence[Card]", key: str, as_json: bool) -> None:
    """Print what happened to cards: a line for each, with the message `key`, or JSON."""
    if as_json:
        echo_json([to_mapping(card) for card in cards])
        return
    for card in cards:
        echo(t(key, id=card.id[:SHORT_ID]), err=True)


def _show_table(cards: "Sequence[Card]", check: "StalenessCheck") -> None:
    from ...rendering.humanize import format_age

    content = t("memory.content")
    headers = ["id", t("memory.type"), t("memory.scope"), t("memory.age"), content]
    rows = [
        [
            card.id[:SHORT_ID],
            t(f"memory.type.{card.type}"),
            t(f"memory.scope.{card.scope}"),
            format_age(card.updated_at) if card.updated_at else "",
            format_content(card, check.check_card(card)),
        ]
        for card in cards
    ]
    if is_narrow():
        headers, rows = [headers[0], content], [[row[0], row[-1]] for row in rows]
    show_table(headers, rows, cut=(content,))


def format_content(card: "Card", stale: "Staleness") -> str:
    """Format a card's text in one line, with a mark unless it is active and up to date."""
    line = " ".join(sanitize_line(card.content).split())
    state = "expired" if card.is_expired() and card.state == "active" else card.state
    if state == "active" and stale:
        state = "stale"
    return line if state == "active" else f"[{t(f'memory.state.{state}')}] {line}"


def show_card(card: "Card", stale: "Staleness") -> None:
    """Print all that a card has."""
    from ...rendering.listings.threads import format_time

    echo_wrapped(card.content)
    state = t(f"memory.state.{card.state}")
    reason = f" ({t(f'memory.reason.{card.reason}')})" if card.reason else ""
    lines = {
        "id": card.id,
        t("memory.type"): t(f"memory.type.{card.type}"),
        t("memory.scope"): t(f"memory.scope.{card.scope}"),
        t("memory.state"): state + reason,
        t("memory.tags"): ", ".join(card.tags),
        t("memory.paths"): ", ".join(card.paths),
        t("memory.by"): t(f"memory.by.{card.source.by}"),
        t("memory.thread"): _format_source(card),
        t("memory.commit"): card.source.commit[:12],
        t("memory.created"): format_time(card.created_at),
        t("memory.updated"): format_time(card.updated_at),
        t("memory.uses"): t("memory.used", count=card.uses, time=format_time(card.used_at))
        if card.uses
        else t("memory.never_used"),
        t("memory.replaces"): card.replaces[:SHORT_ID],
        t("memory.expires"): format_time(card.expires_at),
        t("memory.stale"): format_staleness(stale),
    }
    values = {name: sanitize_line(value) for name, value in lines.items() if value}
    width = max(map(len, values))
    echo("\n".join(["", *(f"{name:{width}}  {value}" for name, value in values.items())]))


def format_staleness(stale: "Staleness") -> str:
    """Format why a card may be out of date; empty if nothing says so."""
    missing = (
        t("memory.missing", paths=", ".join(stale.missing_paths)) if stale.missing_paths else ""
    )
    behind = t("memory.behind", count=stale.commits_behind) if stale.commits_behind else ""
    return ", ".join(reason for reason in (missing, behind) if reason)


def _format_source(card: "Card") -> str:
    step = f" · {t('memory.step', number=card.source.step)}" if card.source.step else ""
    return card.source.thread[:SHORT_ID] + step if card.source.thread else ""
