from typing import get_args

import pytest

from maxagent.nodes.state import RoleName
from maxagent.sdk.graph_registry import CHAT, EDIT, TASK, graph_of, job_of


@pytest.mark.parametrize(
    ("name", "job"), [("task", TASK), ("edit", EDIT), ("chat", CHAT), ("", TASK)]
)
def test_a_thread_s_graph_is_that_of_its_job(name, job):
    assert job_of(name) is job


@pytest.mark.parametrize("job", [TASK, EDIT, CHAT])
def test_the_roles_of_a_job_are_nodes_of_its_graph(job):
    spoken = set(get_args(RoleName)) & graph_of(job).nodes.keys()
    assert spoken == set(job.roles) and job.begins in spoken
