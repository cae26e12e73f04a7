"""The report of a review: findings with file and line on stdout, or the whole report as JSON."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...config import exit_codes
from ..i18n.catalogs import t
from ..options import OutputFormat
from ..rendering.output import echo, echo_json
from ..rendering.sanitize import sanitize_line

if TYPE_CHECKING:
    from ...sdk.events import Event
    from ..rendering.renderer import Renderer


def to_review_code(exit_code: int) -> int:
    """Return the exit code of a review that ends without a report: 1 says there are findings."""
    return exit_codes.LIMIT_REACHED if exit_code == exit_codes.FAILED else exit_code


def _with_review_code(event: "Event") -> "Event":
    from ...sdk.events import Failure

    if not isinstance(event, Failure):
        return event
    return replace(event, exit_code=to_review_code(event.exit_code))


class ReportRenderer:
    """Shows a review with another renderer, and the report instead of the answer."""

    def __init__(self, run: "Renderer", output: OutputFormat) -> None:
        self._run, self._output = run, output
        self.findings = 0
        """Number of findings; set when the report is shown."""
        self._is_shown = False

    def show_event(self, event: "Event") -> None:
        """Show one event; a report with its answer."""
        from ...sdk.events import Completion

        if not isinstance(event, Completion) or event.outcome != "answered":
            self._run.show_event(_with_review_code(event))
            return
        report = json.loads(event.summary)
        self.findings = len(report["findings"])
        if self._output in (OutputFormat.stream_json, OutputFormat.events):
            self._run.show_event(event)
            return
        self._run.pause()
        show_report(report, self._output)
        self._is_shown = True

    def pause(self) -> None:
        """End the open line or block before other output."""
        self._run.pause()

    def show_stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        self._run.show_stopping()

    def show_end(self, last: "Event | None") -> None:
        """Show how the run ended, unless the report was shown."""
        if not self._is_shown:
            self._run.show_end(last and _with_review_code(last))


def show_report(report: Mapping[str, Any], output: OutputFormat) -> None:
    """Print a report."""
    if output is not OutputFormat.text:
        echo_json(report, indent=None)
        return
    for finding in report["findings"]:
        location = f"{finding['file']}:{finding['line']}"
        severity = t(f"review.{finding['severity']}")
        key = "review.finding" if finding["in_diff"] else "review.finding.elsewhere"
        echo(sanitize_line(t(key, place=location, severity=severity)))
        echo(f"  {sanitize_line(' '.join(finding['text'].split()))}")
    count, name = len(report["findings"]), sanitize_line(report["reviewed"])
    summary = t("review.count", count=count, name=name) if count else t("review.none", name=name)
    echo(summary, err=True)
    if report["dropped"]:
        echo(t("review.dropped", count=report["dropped"]), err=True)
    if report["is_cut"]:
        echo(t("review.cut"), err=True)
