import pytest

from maxagent.nodes.review import evaluate_outcome


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
