import pytest

from maxagent.sdk.jobs import EDIT, TASK, job_of


@pytest.mark.parametrize(("name", "job"), [("task", TASK), ("edit", EDIT), ("", TASK)])
def test_a_thread_s_graph_is_that_of_its_job(name, job):
    assert job_of(name) is job


@pytest.mark.parametrize("job", [TASK, EDIT])
def test_a_job_begins_with_a_role_of_its_graph(job):
    assert job.begins in job.build().nodes
