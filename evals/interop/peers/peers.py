"""Play suites of other agents with our tools, rules, hooks and readers: a line of each.

    python evals/interop/peers/peers.py [--report FILE] [--only WORD]

The cases are data in `cases/`, written after reading the suites. Exit code 1 where a case is wrong
or differs without a reason.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from edit_adapter import play_edits
from peer_suite import FATES, Outcome, PeerSuite, SuiteReport, load_suites
from report_page import replace_part
from rule_adapter import play_globs, play_rules
from stream_adapter import play_events, play_hooks, play_thinking

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"
TITLE = "## Suites of other agents\n"
HEAD = """\
The cases of these suites, written anew after reading them, run through MaxAgent's own tools, rules,
hooks and readers (`evals/interop/peers/cases`). **same**: as there. **other**: for a reason that
stands below. **wrong**: a wrong file, a rule that opens, a lost answer. What the other agent does
is no measure where it guesses. For patterns git itself is asked. This part is of {date}.
"""
COLUMNS = "| suite | what is tried | cases | same | other | without reason | wrong |"
ADAPTERS: Mapping[str, Callable[[PeerSuite, Path], Iterator[Outcome]]] = {
    "edits": play_edits,
    "rules": play_rules,
    "globs": play_globs,
    "hooks": play_hooks,
    "thinking": play_thinking,
    "events": play_events,
}


def play_suite(suite: PeerSuite, folder: Path) -> SuiteReport:
    """Play every case of a suite below the folder."""
    return SuiteReport(suite, list(ADAPTERS[suite.kind](suite, folder)))


def render_part(date: str, reports: Sequence[SuiteReport]) -> str:
    """Return the part of the page."""
    lines = [TITLE, HEAD.format(date=date), COLUMNS, "|---|---|---|---|---|---|---|"]
    for report in reports:
        cells = [str(len(report.outcomes)), *(str(report.count(fate)) for fate in FATES)]
        lines.append(f"| {report.suite.name} | {report.suite.kind} | {' | '.join(cells)} |")
    sums = [sum(report.count(fate) for report in reports) for fate in FATES]
    lines.append(f"| all | | {sum(sums)} | {' | '.join(map(str, sums))} |")
    lines += ["", "Where we differ, and why:", ""]
    for report in reports:
        for reason, count in report.differences.items():
            lines.append(f"- {report.suite.name} ({count}): {report.suite.reasons[reason]}")
    lines += ["", "Sources:", ""]
    lines += [f"- {report.suite.name}: {report.suite.source}" for report in reports]
    if faults := [fault for report in reports for fault in report.faults]:
        lines += ["", "What was not shown:", "", *(f"- {fault}" for fault in faults)]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, default=PAGE)
    parser.add_argument("--only", default="", help="suites with this word; the page stays as it is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="peers-", dir=Path.home()) as work:
        suites = [
            suite for suite in load_suites() if options.only.casefold() in suite.name.casefold()
        ]
        reports = [
            play_suite(suite, Path(work) / str(number)) for number, suite in enumerate(suites)
        ]
    part = render_part(f"{datetime.now(UTC):%Y-%m-%d}", reports)
    print(part)
    if not options.only:
        replace_part(options.report, TITLE, part)
    return int(any(report.faults for report in reports))


if __name__ == "__main__":
    sys.exit(main())
