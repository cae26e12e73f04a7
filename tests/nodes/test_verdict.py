import pytest

from maxagent.nodes.verdict import parse_verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("REJECTED\nit divides by zero", "rejected"),
        ("**REJECTED**: …", "rejected"),
        ("Rejected. I do not like it.", "rejected"),
        ("Verdict: REJECTED", "rejected"),
        ("I looked at everything.\n\nREJECTED: it divides by zero", "rejected"),
        ("ACCEPTED at first sight\nREJECTED at the second", "rejected"),
        ("Accepted. Nothing was REJECTED.", "accepted"),
        ("ACCEPTED\nRejected values are tested too.", "accepted"),
        ("## Verdict: accepted", "accepted"),
        ("Looks good.\n\nACCEPTED", "accepted"),
        ("What a beautiful change, nothing to be rejected", None),
        ("", None),
    ],
)
def test_verdict_is_first_word_or_leads_capitalized_line(text, verdict):
    assert parse_verdict(text) == verdict
