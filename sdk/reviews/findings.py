"""Findings of a review: the form in which the model gives them, and their lines in the diff."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ...tools.git.diff_lines import list_shown_lines

Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "file": {"type": "string"},
                    "line": {"type": "integer"},
                    "severity": {"enum": list(SEVERITIES)},
                    "text": {"type": "string"},
                },
                "required": ["file", "line", "severity", "text"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["findings"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Finding:
    """One remark of the reviewer."""

    file: str
    line: int
    severity: Severity
    text: str
    in_diff: bool
    """Whether the diff shows that line."""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return asdict(self)


def read_findings(answer: str, diff: str) -> tuple[list[Finding], int]:
    """Return the findings of a valid answer, the most severe first, and how many were dropped.

    Findings in files that are not in the diff are dropped.
    """
    shown_lines = list_shown_lines(diff)
    reported = json.loads(answer)["findings"]
    findings = [
        Finding(**finding, in_diff=finding["line"] in shown_lines[finding["file"]])
        for finding in reported
        if finding["file"] in shown_lines
    ]
    findings.sort(
        key=lambda finding: (SEVERITIES.index(finding.severity), finding.file, finding.line)
    )
    return findings, len(reported) - len(findings)


def count_severities(findings: Sequence[Finding]) -> dict[str, int]:
    """Return how many findings there are of each severity."""
    return {name: sum(finding.severity == name for finding in findings) for name in SEVERITIES}
