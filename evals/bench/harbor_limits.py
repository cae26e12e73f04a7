"""The time that a trial of Harbor gives its agent, and which Harbor tells no agent."""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

# Of the limit, kept back for a step that has to finish, and for the export of the trajectory
MARGIN, LEAST, MOST = 0.05, 10.0, 60.0
Json = Mapping[str, Any]


def read_time_limit(trial: Path, locate: Callable[[Json], Path]) -> float | None:
    """Return the seconds that the agent of a trial may run; None where there is no limit.

    `locate` returns the folder of the task that the trial's configuration names. Of a task with
    several steps the shortest limit counts, as an agent is not told which step it is at.
    """
    config: Json = json.loads((trial / "config.json").read_text("utf-8"))
    task = tomllib.loads((locate(config["task"]) / "task.toml").read_text("utf-8"))
    agent: Json = config.get("agent") or {}
    limits = [part.get("agent", {}).get("timeout_sec") for part in (task, *task.get("steps", ()))]
    limit = agent.get("override_timeout_sec") or min(filter(None, limits), default=None)
    if limit is None:
        return None
    factor = config.get("agent_timeout_multiplier")
    if factor is None:
        factor = config.get("timeout_multiplier", 1.0)
    return min(limit, agent.get("max_timeout_sec") or limit) * factor


def keep_back(limit: float) -> float:
    """Return the seconds after which the agent has to end by itself."""
    return max(limit - min(MOST, max(LEAST, limit * MARGIN)), limit / 2)
