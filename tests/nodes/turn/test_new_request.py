from maxagent.nodes.turn.new_request import build_job_update


def test_new_job_starts_with_brief_and_fresh_counters():
    state = {"turn": 2, "file_entry": 7, "steps": 30, "request": "more"}
    job = build_job_update(state, "editor", "more, please")
    assert (job["turn"], job["since"], job["role"], job["outcome"]) == (3, 7, "editor", None)
    (message,) = job["messages"]
    assert (message.text, message.additional_kwargs["role"]) == ("more, please", "editor")
    assert "steps" not in job
