"""A table of figures, some of which have a bar that they must not pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

NOISE = 1.15
"""Two runs in a row that are worse by more than this are no accident."""


@dataclass(frozen=True)
class Row:
    """One figure."""

    what: str
    figure: float
    detail: str = ""
    bar: float | None = None
    sense: Literal["at most", "at least"] = "at most"

    @property
    def missed(self) -> bool:
        """Whether the figure is beyond its bar."""
        if self.bar is None:
            return False
        return self.figure > self.bar if self.sense == "at most" else self.figure < self.bar

    def is_worse_than(self, earlier: float) -> bool:
        """Whether it is worse than an earlier figure by more than the noise."""
        if self.sense == "at most":
            return self.figure > earlier * NOISE
        return self.figure < earlier / NOISE


def find_regressions(rows: Sequence[Row], figures: Mapping[str, float]) -> list[str]:
    """Return which rows are worse than the figures of the repository; a new row is not."""
    return [
        row.what for row in rows if row.what in figures and row.is_worse_than(figures[row.what])
    ]


def show(title: str, rows: Sequence[Row]) -> None:
    """Print a part of the table as soon as it is measured."""
    print(f"\n{title}")
    for row in rows:
        bar = "" if row.bar is None else f"{row.sense} {row.bar:g}"
        verdict = "" if row.bar is None else "MISSED" if row.missed else "ok"
        print(f"  {row.what:<52}{row.figure:>10.4g}  {bar:<14}{verdict:<8}{row.detail}".rstrip())
    print(end="", flush=True)
