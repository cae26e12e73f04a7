"""How a task ends, and why its last line says so."""

import pytest

from maxagent.nodes.outcome import evaluate_outcome, explain_outcome


def evidence(verdict):
    return {"verdict": verdict, "tree": "t"}


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ({"evidence": evidence("passed"), "accepted": True}, "verified"),
        ({"evidence": evidence("passed"), "accepted": False}, "failed"),
        ({"evidence": evidence("passed")}, "failed"),
        ({"evidence": evidence("failed"), "accepted": True}, "failed"),
        ({"evidence": evidence("unverified"), "accepted": True}, "unverified"),
        ({"evidence": None, "accepted": True}, "unverified"),
        ({"accepted": True}, "unverified"),
        (
            {
                "evidence": evidence("passed"),
                "accepted": True,
                "options": {"skip_tests": True},
            },
            "unverified",
        ),
    ],
)
def test_verified_needs_passing_evidence_that_the_tester_accepted(state, word):
    assert evaluate_outcome(state) == word


@pytest.mark.parametrize(
    ("state", "outcome", "text"),
    [
        ({"evidence": evidence("passed")}, "failed", "the tests are green, but the tester gave no"),
        ({"evidence": evidence("unverified")}, "failed", "no test proves the change, and the"),
        ({"evidence": evidence("passed")}, "unverified", "files changed after the tests ran"),
        ({"evidence": evidence("passed")}, "verified", ""),
        ({"evidence": evidence("passed")}, "undone", ""),
        ({"evidence": evidence("failed")}, "failed", ""),
        ({"evidence": evidence("unverified")}, "unverified", ""),
        ({}, "unverified", ""),
    ],
)
def test_reason_explains_what_evidence_does_not(state, outcome, text):
    reason = explain_outcome(state, outcome)
    assert text in reason and bool(reason) == bool(text)
