import pytest

from maxagent.nodes.architect import architect, plan_in


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


async def test_a_new_request_on_a_thread_that_had_ended_begins_with_nothing_proven_or_kept():
    ended = {"request": "next", "folder": "/", "outcome": "verified", "kept": True, "rounds": 2}
    command = await architect(ended, runtime=None)
    begun = {**ended, **command.update}
    assert command.goto == "architect"
    assert not any(begun[name] for name in ("outcome", "kept", "accepted", "evidence", "rounds"))
    assert [message.text for message in begun["messages"]] == ["next"]
