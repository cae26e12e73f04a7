"""Decide a call of a tool by what the tool says of itself."""

from collections.abc import Mapping

from langchain_core.tools import BaseTool

from ..definition import effect_of, named_paths
from ..workspace import Workspace
from .decision import Decision
from .evaluate import decide
from .policy import Policy


def decide_call(
    tool: BaseTool, args: Mapping[str, object], workspace: Workspace, policy: Policy
) -> Decision:
    """Decide one call, its arguments under the tool's own names."""
    paths = named_paths(tool, args)
    return decide(tool.name, effect_of(tool), args, paths, workspace, policy)
