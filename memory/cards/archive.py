"""Cards as one JSON file, to take them elsewhere."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...config.errors import UsageError
from ...config.security.private_files import create_file
from ...config.security.redaction import redact_json
from ...config.text import text
from .admission import CardRefusedError
from .card import SCOPES, Card, card_from_value

if TYPE_CHECKING:
    from .library import CardLibrary

FORMAT = "maxagent-memory"
_VERSION = 1
_MAX_BYTES = 50_000_000


@dataclass(frozen=True)
class ImportResult:
    """What came of a file's cards."""

    added: int
    known: int
    """Cards that say what another card says already."""
    refused: tuple[str, ...]
    """Why a card was not imported, once for each."""


def build_archive(cards: Sequence[Card]) -> dict[str, Any]:
    """Return what the file holds, without secrets."""
    archive = {"format": FORMAT, "version": _VERSION, "cards": [asdict(card) for card in cards]}
    return cast(dict[str, Any], redact_json(archive))


def write_archive(file: Path, cards: Sequence[Card]) -> None:
    """Write a new file that only its owner can read; raises UsageError."""
    try:
        content = json.dumps(build_archive(cards), ensure_ascii=False, indent=2)
        create_file(file, f"{content}\n".encode())
    except FileExistsError:
        raise UsageError(
            text("`{path}` already exists", path=file), hint="give another file"
        ) from None
    except OSError as error:
        raise UsageError(
            text("cannot write `{path}`: {reason}", path=file, reason=error.strerror),
            hint="give another file",
        ) from None


def read_archive(file: Path) -> list[Card]:
    """Return the cards of a file that `write_archive` wrote; raises UsageError."""
    try:
        with open(file, "rb") as stream:
            loaded: Any = json.loads(stream.read(_MAX_BYTES))
    except OSError as error:
        raise UsageError(
            text("cannot read `{path}`: {reason}", path=file, reason=error.strerror),
            hint="give a file written by `mcode memory export`",
        ) from None
    except ValueError:
        loaded = None
    archive = cast(Mapping[str, Any], loaded) if isinstance(loaded, Mapping) else dict[str, Any]()
    cards = archive.get("cards")
    if (archive.get("format"), archive.get("version")) != (FORMAT, _VERSION) or not isinstance(
        cards, list
    ):
        raise UsageError(
            text("`{path}` holds no cards", path=file),
            hint="give a file written by `mcode memory export`",
        )
    return [card for value in cast(list[object], cards) if (card := _read_card(value))]


async def import_archive(library: "CardLibrary", cards: Sequence[Card]) -> ImportResult:
    """Add cards to the user's memory and the project's; a refused one does not stop the others."""
    added, existing_count, refused = 0, 0, list[str]()
    for card in cards:
        try:
            is_new = await library.restore(card)
        except CardRefusedError as error:
            refused.append(error.message)
        else:
            added, existing_count = added + is_new, existing_count + (not is_new)
    return ImportResult(added, existing_count, tuple(refused))


def _read_card(value: object) -> Card | None:
    if not isinstance(value, Mapping):
        return None
    values = cast(Mapping[str, Any], value)
    scope = values.get("scope")
    card_id = values.get("id")
    if scope not in SCOPES or not isinstance(card_id, str) or not card_id:
        return None
    return card_from_value(card_id, scope, values)
