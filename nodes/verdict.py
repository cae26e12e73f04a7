"""The tester's verdict, read from its words."""

import re
from typing import Literal

TesterVerdict = Literal["accepted", "rejected"]


def parse_verdict(words: str) -> TesterVerdict | None:
    """Return the verdict: the answer's first word, or a line that starts with it in capitals.

    Some models write an introduction first; of two verdicts the stricter one counts.
    """
    lines = re.findall(r"(?m)^\W*(?:(?i:verdict)\W+)?(ACCEPTED|REJECTED)\b", words)
    first = re.match(r"\W*(?:verdict\W+)?(accepted|rejected)\b", words, re.IGNORECASE)
    verdicts = {word.lower() for word in (*lines, *(first.groups() if first else ()))}
    if "rejected" in verdicts:
        return "rejected"
    return "accepted" if verdicts else None
