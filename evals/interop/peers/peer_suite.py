"""A suite of another agent as data: its cases, and what became of each of them.

A file of `cases/` begins with

    suite       its name
    source      where the cases come from; they are written anew, none is copied
    kind        what plays it: edits, rules, globs, hooks, thinking, events
    reasons     the reasons why we differ, by a short name
    cases       in the form of its kind

A case whose right answer here is another one than there names its reason: `why`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

FOLDER = Path(__file__).parent / "cases"

SAME, DIFFERENT, UNNAMED, WRONG = "same", "different", "unnamed", "wrong"
"""As there; other for a reason that is named; other without a reason, but safe (refused, asked);
a wrong file, a rule that opens, an answer that is lost."""
FATES = (SAME, DIFFERENT, UNNAMED, WRONG)


@dataclass(frozen=True)
class Outcome:
    """What became of one case."""

    case: str
    fate: str
    reason: str = ""
    """The short name of the reason of a difference."""
    detail: str = ""


@dataclass(frozen=True)
class PeerSuite:
    """The cases of one suite."""

    name: str
    source: str
    kind: str
    reasons: Mapping[str, str]
    cases: Sequence[dict[str, Any]]


@dataclass(frozen=True)
class SuiteReport:
    """A suite and its outcomes."""

    suite: PeerSuite
    outcomes: Sequence[Outcome]

    def count(self, fate: str) -> int:
        """Return how many cases ended like this."""
        return sum(outcome.fate == fate for outcome in self.outcomes)

    @property
    def faults(self) -> list[str]:
        """What must not be: wrong cases, and differences without a reason."""
        return [
            f"{self.suite.name}: {outcome.case}: {outcome.fate}: {outcome.detail}"
            for outcome in self.outcomes
            if outcome.fate in (UNNAMED, WRONG)
        ]

    @property
    def differences(self) -> Mapping[str, int]:
        """How many cases differ for each reason."""
        return Counter(one.reason for one in self.outcomes if one.fate == DIFFERENT)


def load_suites(folder: Path = FOLDER) -> list[PeerSuite]:
    """Read every file, in the order of its name."""
    return [load_suite(path) for path in sorted(folder.glob("*.yaml"))]


def load_suite(path: Path) -> PeerSuite:
    """Read one; raises KeyError for a field that is not there."""
    raw = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    return PeerSuite(raw["suite"], raw["source"], raw["kind"], raw.get("reasons", {}), raw["cases"])
