import pytest

from maxagent.nodes.architect import extract_plan, run_architect


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("SMALL\nlook at a.py", ""),
        ("**SMALL**: look at a.py", ""),
        ("SMALL", ""),
        ("Smaller steps first.", "Smaller steps first."),
        ("The cause is small.\n1. …", "The cause is small.\n1. …"),
        ("", ""),
    ],
)
def test_a_small_task_has_no_plan(text, plan):
    assert extract_plan(text) == plan


async def test_new_request_on_ended_thread_resets_proof():
    ended = {"request": "next", "folder": "/", "outcome": "verified", "kept": True, "rounds": 2}
    command = await run_architect(ended, runtime=None)
    process = {**ended, **command.update}
    assert command.goto == "architect"
    assert not any(process[name] for name in ("outcome", "kept", "accepted", "evidence", "rounds"))
    assert [message.text for message in process["messages"]] == ["next"]
