"""The bar: what the figures must be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from case_verdict import CaseVerdict
from growth import FITTED_FROM, Growth, quantile
from request import ADVERSARIAL, HONEST
from scoring import Outcome

LARGEST = 50_000


@dataclass(frozen=True)
class Mark:
    """One line of the verdict."""

    what: str
    found: str
    bar: str
    met: bool


def case_marks(verdicts: Sequence[CaseVerdict]) -> list[Mark]:
    """Of the hand-written cases."""
    if not verdicts:
        return []
    fates = [one.fate for one in verdicts]
    refuse = [one for one in verdicts if one.case.after is None]
    apply = [one for one in verdicts if one.case.refused is None]
    return [
        _at_most("cases wrong", fates.count("WRONG"), 0),
        _at_least("must-refuse cases refused", _share(refuse, ("right", "mute")), 1),
        _at_least("must-apply cases applied", _share(apply, ("right", "mute")), 0.95),
        _at_most("cases that lack a word", fates.count("mute"), 0),
    ]


def edit_marks(outcomes: Sequence[Outcome]) -> list[Mark]:
    """Of the generated edits."""
    honest = [one for one in outcomes if one.kind.name in HONEST]
    adversarial = [one for one in outcomes if one.kind.name in ADVERSARIAL]
    marks = list[Mark]()
    if adversarial:
        wrong = sum(one.fate == "WRONG" for one in adversarial)
        marks.append(_at_most("adversarial edits wrong", wrong, 0))
    for tool in dict.fromkeys(one.request.tool for one in honest):
        of = [one for one in honest if one.request.tool == tool]
        wrong = sum(one.fate == "WRONG" for one in of)
        marks.append(_at_most(f"normal edits wrong, {tool}", wrong, 0))
        marks.append(_at_least(f"normal edits right, {tool}", _share(of, ("right",)), 0.98))
    for half, of in (("normal", honest), ("adversarial", adversarial)):
        if placed := [one.placed for one in of if one.placed is not None]:
            share = sum(placed) / len(placed)
            what = f"{half} refusals that name the place ({len(placed)})"
            marks.append(_at_least(what, share, 0.9))
    return marks


def time_marks(growths: Sequence[Growth]) -> list[Mark]:
    """Of the timing jobs."""
    if not growths:
        return []
    steepest = max(growths, key=lambda one: one.exponent)
    slowest = quantile([time for one in growths for time in one.seconds[LARGEST]], 0.99)
    return [
        Mark(
            f"growth from {FITTED_FROM:,} lines, steepest: {steepest.job}",
            f"{steepest.exponent:.2f}",
            "<= 1.2",
            steepest.exponent <= 1.2,
        ),
        Mark(f"p99 at {LARGEST:,} lines", f"{slowest:.2f} s", "< 1 s", slowest < 1),
    ]


def _share(of: Iterable[CaseVerdict | Outcome], fates: Sequence[str]) -> float:
    all_of = list(of)
    return sum(one.fate in fates for one in all_of) / max(len(all_of), 1)


def _at_most(what: str, found: int, bar: int) -> Mark:
    return Mark(what, str(found), f"<= {bar}", found <= bar)


def _at_least(what: str, found: float, bar: float) -> Mark:
    return Mark(what, f"{found:.1%}", f">= {bar:.0%}", found >= bar)
