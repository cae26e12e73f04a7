"""The kinds of jobs: the graph of each, by the name that a thread's row has."""

from collections.abc import Callable
from dataclasses import dataclass

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph

from ..graphs import chat, edit, task
from ..nodes.context import Context
from ..nodes.state import RoleName, State, Task
from .run import Graph


@dataclass(frozen=True)
class Job:
    """A kind of job."""

    name: str
    build: Callable[[], StateGraph[State, Context, Task, State]]
    begins: RoleName
    """The role that speaks first."""


TASK = Job("task", task.build, "architect")
EDIT = Job("edit", edit.build, "editor")
CHAT = Job("chat", chat.build, "build")
JOBS = {job.name: job for job in (TASK, EDIT, CHAT)}


def job_of(name: str) -> Job:
    """The job of a thread's row; one begun elsewhere, whose graph has another name, is a task."""
    return JOBS.get(name, TASK)


def compiled(job: Job, saver: BaseCheckpointSaver[str]) -> Graph:
    """The job's graph, ready to run on the threads of the saver's database."""
    # only partly typed in LangGraph
    return job.build().compile(checkpointer=saver, name=job.name)  # pyright: ignore
