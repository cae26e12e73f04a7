"""What a user's requests of one day have cost on this machine, in a file that only grows.

It is found by the system's user and not by `MAXAGENT_HOME`, so another home begins no new day.
"""

import os
import pwd
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ...config.errors import UsageError
from ...config.text import text


@dataclass(frozen=True)
class DayTotal:
    """What a day's requests sum up to."""

    requests: int
    cost: float
    """US dollars."""


@dataclass(frozen=True)
class DailyUsage:
    """The file of today."""

    file: Path

    def read(self) -> DayTotal:
        """Sum up today's requests; raises UsageError for a file that cannot be read."""
        try:
            lines = self.file.read_text("ascii", errors="replace").split()
        except FileNotFoundError:
            return DayTotal(0, 0.0)
        except OSError as error:
            raise self._build_error(error) from error
        costs = [_read_cost(line) for line in lines]
        return DayTotal(len(costs), sum(costs))

    def add(self, cost: float) -> None:
        """Add one request; raises UsageError for a file that cannot be written."""
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.file.open("ab", buffering=0) as file:
                file.write(f"{cost:.8f}\n".encode())
        except OSError as error:
            raise self._build_error(error) from error

    def _build_error(self, error: OSError) -> UsageError:
        return UsageError(
            text(
                "the policy limits what a day may cost, and `{file}` cannot be used: {reason}",
                file=self.file,
                reason=error.strerror,
            ),
            hint="make it a file that you can read and write",
        )


def open_daily_usage(folder: str) -> DailyUsage:
    """Return the file of today and of this user; `folder` is the policy's own, or empty."""
    user = os.getuid()
    above = Path(folder) if folder else Path(_find_home(user), ".local/state/maxagent")
    return DailyUsage(above / f"usage-{user}-{datetime.now(UTC):%Y-%m-%d}")


def _find_home(user: int) -> str:
    """Return the user's home folder as the system knows it: `HOME` may be changed."""
    with suppress(KeyError):
        return pwd.getpwuid(user).pw_dir
    return "/var/tmp"  # noqa: S108 - a user without a home still has one file a day


def _read_cost(line: str) -> float:
    """Read one line; what is not a cost above 0 counts as nothing taken back."""
    try:
        return max(0.0, float(line))
    except ValueError:
        return 0.0
