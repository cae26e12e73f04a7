"""Staleness: a card whose files are gone, or that was written many commits ago."""

import os
from dataclasses import dataclass
from pathlib import Path

from .card import Card
from .repository import Repository, find_repository

FAR_BEHIND = 100


@dataclass(frozen=True)
class Staleness:
    """Why a card may be out of date."""

    missing_paths: tuple[str, ...] = ()
    commits_behind: int = 0
    """Commits since the card was written, if they are many."""

    def __bool__(self) -> bool:
        """Return whether there is any reason."""
        return bool(self.missing_paths or self.commits_behind)


class StalenessCheck:
    """Compares cards with the project in a folder; git's log is read once."""

    def __init__(self, folder: Path) -> None:
        """Read nothing yet but which repository the folder is in."""
        self._folder = Path(os.path.realpath(folder))
        self._repository: Repository = find_repository(self._folder)
        self._commits: dict[str, int] | None = None

    def check_card(self, card: Card) -> Staleness:
        """Return why the card may be out of date; a card of the user has no project."""
        if card.scope == "user":
            return Staleness()
        roots = (self._folder, self._repository.root)
        missing = [
            path for path in card.paths if not any(os.path.lexists(root / path) for root in roots)
        ]
        behind = self._count_commits(card.source.commit)
        return Staleness(tuple(missing), behind if behind >= FAR_BEHIND else 0)

    def _count_commits(self, commit: str) -> int:
        """Count what was checked out here since that commit; 0 if git's log does not know it."""
        if not commit:
            return 0
        if self._commits is None:
            latest_first = reversed(self._repository.read_commits())
            self._commits = {}
            for distance, name in enumerate(latest_first):
                self._commits.setdefault(name, distance)
        return self._commits.get(commit, 0)
