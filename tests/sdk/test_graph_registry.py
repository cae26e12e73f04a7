from typing import get_args

import pytest

from maxagent.nodes.roles import RoleName
from maxagent.sdk.graph_registry import CHAT, EDIT, TASK, find_job, load_graph


@pytest.mark.parametrize(
    ("name", "job"), [("task", TASK), ("edit", EDIT), ("chat", CHAT), ("", TASK)]
)
def test_graph_of_thread_matches_its_job(name, job):
    assert find_job(name) is job


@pytest.mark.parametrize("job", [TASK, EDIT, CHAT])
def test_job_roles_are_nodes_of_its_graph(job):
    spoken = set(get_args(RoleName)) & load_graph(job).nodes.keys()
    assert spoken == set(job.roles) and job.first_role in spoken
