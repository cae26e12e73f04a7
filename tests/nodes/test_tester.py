import pytest

from maxagent.nodes.tester import is_rejected


@pytest.mark.parametrize(
    ("words", "rejected"),
    [
        ("REJECTED\nit divides by zero", True),
        ("**REJECTED**: …", True),
        ("I looked at everything.\n\nREJECTED: it divides by zero", True),
        ("Accepted. Nothing was REJECTED.", False),
        ("", False),
    ],
)
def test_only_a_word_that_leads_a_line_sends_the_change_back(words, rejected):
    assert is_rejected(words) is rejected
