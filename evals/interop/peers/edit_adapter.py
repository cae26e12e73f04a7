"""Edits of other agents' suites, with our tools.

A case has the form of `evals/edit_eval/hand_cases.py`; `after` or `refused: ""` is what the other
agent does. Where we do something else: `ours` (`after`, or `refused` with words that the answer
must contain) and `why`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from case_verdict import CaseVerdict, play
from hand_cases import parse_case
from peer_suite import DIFFERENT, SAME, UNNAMED, WRONG, Outcome, PeerSuite

RIGHT = ("after", "refused")


def play_edits(suite: PeerSuite, folder: Path) -> Iterator[Outcome]:
    """Play every case in a project of its own."""
    for number, raw in enumerate(suite.cases):
        yield _play_case(suite, raw, folder / str(number))


def _play_case(suite: PeerSuite, raw: dict[str, Any], folder: Path) -> Outcome:
    name = raw["case"]
    call = {key: value for key, value in raw.items() if key not in ("ours", "why")}
    theirs = play(parse_case(suite.name, call), folder / "theirs")
    if theirs.fate == "right":
        stale = "ours" in raw
        return Outcome(name, UNNAMED if stale else SAME, detail="`ours` is not needed" * stale)
    if "ours" not in raw:
        return Outcome(name, UNNAMED if _is_safe(theirs) else WRONG, detail=theirs.why)
    ours = {key: value for key, value in call.items() if key not in RIGHT} | raw["ours"]
    verdict = play(parse_case(suite.name, ours), folder / "ours")
    if verdict.fate == "right":
        return Outcome(name, DIFFERENT, suite.reasons[raw["why"]] and raw["why"])
    return Outcome(name, UNNAMED if _is_safe(verdict) else WRONG, detail=verdict.why)


def _is_safe(verdict: CaseVerdict) -> bool:
    """Return whether nothing was changed, or only the words are other ones."""
    return verdict.fate in ("missed", "mute")
