import json

from maxagent.sdk.reviews.review import read_findings

DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n"


def test_findings_are_sorted_marked_and_dropped() -> None:
    rows = [("a.txt", 9, "high"), ("a.txt", 1, "low"), ("b.txt", 1, "high"), ("a.txt", 1, "high")]
    value = [dict(zip(("file", "line", "severity"), row, strict=True), text="x") for row in rows]
    findings, dropped = read_findings(json.dumps({"findings": value}), DIFF)
    assert [(finding.line, finding.severity, finding.in_diff) for finding in findings] == [
        (1, "high", True),
        (9, "high", False),
        (1, "low", True),
    ]
    assert dropped == 1
