"""The kinds of jobs: the graph of each, by the name that a thread's row has."""

from dataclasses import dataclass
from importlib import import_module

from langgraph.checkpoint.base import BaseCheckpointSaver

from ..nodes.roles import RoleName
from .run import Graph


@dataclass(frozen=True)
class Job:
    """A kind of job; its graph stands in the module of `graphs` that has its name."""

    name: str
    roles: tuple[RoleName, ...]
    """Those that speak in it, first the one that begins."""

    @property
    def first_role(self) -> RoleName:
        """The role that speaks first."""
        return self.roles[0]


TASK = Job("task", ("architect", "coder", "tester"))
EDIT = Job("edit", ("editor",))
CHAT = Job("chat", ("build", "plan"))
JOBS = {job.name: job for job in (TASK, EDIT, CHAT)}


def find_job(name: str) -> Job:
    """The job of a thread's row; one begun elsewhere, whose graph has another name, is a task."""
    return JOBS.get(name, TASK)


def load_graph(job: Job) -> Graph:
    """The job's graph as it stands in its module, which is imported now: a start needs one only."""
    return import_module(f"..graphs.{job.name}", __package__).graph


def compile_graph(job: Job, saver: BaseCheckpointSaver[str]) -> Graph:
    """The job's graph, ready to run on the threads of the saver's database."""
    return load_graph(job).copy(update={"checkpointer": saver})
