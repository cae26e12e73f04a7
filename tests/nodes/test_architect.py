import pytest

from maxagent.nodes.architect import plan_in


@pytest.mark.parametrize(
    ("words", "plan"),
    [
        ("SMALL\nlook at a.py", ""),
        ("**SMALL**: look at a.py", ""),
        ("SMALL", ""),
        ("Smaller steps first.", "Smaller steps first."),
        ("The cause is small.\n1. …", "The cause is small.\n1. …"),
        ("", ""),
    ],
)
def test_a_small_task_has_no_plan(words, plan):
    assert plan_in(words) == plan
