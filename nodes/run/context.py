"""Context: the input of one run besides the thread."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime
from pydantic import InstanceOf
from pydantic.json_schema import SkipJsonSchema

from ...config.settings.schema import ApprovalMode
from ...models.policy.limits import RunMeter
from ..messages.steering import SteeringQueue
from ..state import State
from ..tool_task import ToolTask
from .attempt import RunAttempt
from .dependencies import Dependencies
from .dependency_pool import DependencyPool


@dataclass(frozen=True)
class Context:
    """Overrides for one run; empty means what the thread or the configuration says."""

    home: str = ""
    """The user's MaxAgent folder; empty: `MAXAGENT_HOME` or `~/.llc`."""
    mode: str = ""
    """Approval mode."""
    model: str = ""
    """`PROVIDER/MODEL`."""
    base_url: str = ""
    """Endpoint of the model."""
    deadline: SkipJsonSchema[float] = 0.0
    """When the time of this run is up, by `time.monotonic()`; 0: no time limit."""
    # Not in the schema: Studio's form and the server's API show the plain fields only.
    pool: SkipJsonSchema[InstanceOf[DependencyPool]] = field(
        default_factory=DependencyPool, repr=False, compare=False
    )
    """What is open in this run; who starts the run closes it."""
    steering: SkipJsonSchema[InstanceOf[SteeringQueue]] = field(
        default_factory=SteeringQueue, repr=False, compare=False
    )
    """The user's messages to the running turn."""

    sub_id: SkipJsonSchema[str] = ""
    """ID of the sub-agent that runs; empty: the thread itself."""
    writer: SkipJsonSchema[Callable[[Any], None] | None] = field(
        default=None, repr=False, compare=False
    )
    """Takes the events of a sub-agent; None: LangGraph's own writer does."""
    meter: SkipJsonSchema[InstanceOf[RunMeter]] = field(
        default_factory=RunMeter, repr=False, compare=False
    )
    """What the run has used, for an administrator's policy."""
    run_attempt: SkipJsonSchema[RunAttempt | None] = field(default=None, repr=False, compare=False)
    """Runs one of several attempts at a task; None where nobody can, as in Studio."""

    async def open_dependencies(self, state: State | ToolTask) -> Dependencies:
        """Return the thread's dependencies under its current options.

        Raises UsageError for a wrong folder, configuration or endpoint.
        """
        return await self.pool.open(state["folder"], state.get("options", {}), self)

    def restrict_mode(self, mode: ApprovalMode) -> ApprovalMode:
        """Return the approval mode to apply when the thread and the configuration set this one."""
        return mode

    def check_endpoint(self, base_url: str) -> None:
        """Raise UsageError if this endpoint is not allowed."""


def get_thread_id(runtime: Runtime[Context]) -> str:
    """Return the ID of the running thread; `none` for a graph without a checkpointer."""
    info = runtime.execution_info
    return (info.thread_id if info else None) or "none"
