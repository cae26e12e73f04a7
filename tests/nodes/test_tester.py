import pytest

from maxagent.nodes.tester import is_rejected


@pytest.mark.parametrize(
    ("words", "rejected"),
    [
        ("REJECTED\nit divides by zero", True),
        ("**REJECTED**: …", True),
        ("Accepted. Nothing was REJECTED.", False),
        ("", False),
    ],
)
def test_only_a_leading_word_sends_the_change_back(words, rejected):
    assert is_rejected(words) is rejected
