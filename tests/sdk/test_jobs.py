import pytest

from maxagent.sdk.jobs import CHAT, EDIT, TASK, graph_of, job_of


@pytest.mark.parametrize(
    ("name", "job"), [("task", TASK), ("edit", EDIT), ("chat", CHAT), ("", TASK)]
)
def test_a_thread_s_graph_is_that_of_its_job(name, job):
    assert job_of(name) is job


@pytest.mark.parametrize("job", [TASK, EDIT, CHAT])
def test_a_job_begins_with_a_role_of_its_graph(job):
    assert job.begins in graph_of(job).nodes
