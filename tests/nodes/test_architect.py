import pytest

from maxagent.nodes.architect import extract_plan, run_architect


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
    assert extract_plan(words) == plan


async def test_new_request_on_ended_thread_resets_proof():
    ended = {"request": "next", "folder": "/", "outcome": "verified", "kept": True, "rounds": 2}
    command = await run_architect(ended, runtime=None)
    begun = {**ended, **command.update}
    assert command.goto == "architect"
    assert not any(begun[name] for name in ("outcome", "kept", "accepted", "evidence", "rounds"))
    assert [message.text for message in begun["messages"]] == ["next"]
