"""The kinds of jobs: the graph of each, by the name in a thread's row.

A new kind of job takes:

- a file in `graphs/`, a `Job` in this module
- a command in `cli/commands/`, a line in `langgraph.json`
"""

from dataclasses import dataclass
from importlib import import_module

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore

from ..nodes.options import Options
from ..nodes.roles import RoleName
from .run import Graph


@dataclass(frozen=True)
class Job:
    """A kind of job; its graph is in the module of `graphs` with its name."""

    name: str
    roles: tuple[RoleName, ...]
    """Its roles; the first one starts."""

    @property
    def first_role(self) -> RoleName:
        """The role that starts."""
        return self.roles[0]


TASK = Job("task", ("architect", "coder", "tester"))
EDIT = Job("edit", ("editor",))
CHAT = Job("chat", ("build", "plan"))
JOBS = {job.name: job for job in (TASK, EDIT, CHAT)}


def find_job(name: str) -> Job:
    """Return the job of a thread's row; an unknown name, from elsewhere, is a task."""
    return JOBS.get(name, TASK)


def needs_tests(job: Job, options: Options) -> bool:
    """Return whether the job runs the project's tests."""
    return job is TASK and not options.get("skip_tests")


def load_graph(job: Job) -> Graph:
    """Import and return the job's graph; only now, since a start needs one graph only."""
    return import_module(f"..graphs.{job.name}", __package__).graph


def compile_graph(
    job: Job, saver: BaseCheckpointSaver[str], store: BaseStore | None = None
) -> Graph:
    """Compile the job's graph to run on the threads of the saver's database.

    Without a store its nodes remember nothing from other threads.
    """
    return load_graph(job).copy(update={"checkpointer": saver, "store": store})
