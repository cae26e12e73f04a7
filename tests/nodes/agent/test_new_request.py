from maxagent.nodes.agent.new_request import next_job


def test_a_new_job_begins_with_its_brief_after_all_that_was_done_before():
    state = {"turn": 2, "file_entry": 7, "steps": 30, "request": "more"}
    job = next_job(state, "editor", "more, please")
    assert (job["turn"], job["since"], job["role"], job["outcome"]) == (3, 7, "editor", None)
    (told,) = job["messages"]
    assert (told.text, told.additional_kwargs["role"]) == ("more, please", "editor")
    assert "steps" not in job
