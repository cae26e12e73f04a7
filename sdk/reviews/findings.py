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
        """Return it for programs."""
        return asdict(self)


def read_findings(answer: str, diff: str) -> tuple[list[Finding], int]:
    """Return the findings of an answer that fits the schema, the gravest first.

    Those in files that are not in the diff are dropped; their number is returned, too.
    """
    shown = list_shown_lines(diff)
    given = json.loads(answer)["findings"]
    findings = [
        Finding(**one, in_diff=one["line"] in shown[one["file"]])
        for one in given
        if one["file"] in shown
    ]
    findings.sort(key=lambda one: (SEVERITIES.index(one.severity), one.file, one.line))
    return findings, len(given) - len(findings)


def count_severities(findings: Sequence[Finding]) -> dict[str, int]:
    """Return how many findings there are of each severity."""
    return {name: sum(one.severity == name for one in findings) for name in SEVERITIES}
