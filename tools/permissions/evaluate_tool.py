"""Decision on a call of a tool, by the effect that the tool declares."""

from collections.abc import Mapping

from langchain_core.tools import BaseTool

from ..definition import extract_paths, get_effect
from ..workspace import Workspace
from .decision import Decision
from .evaluate import evaluate_call
from .policy import Policy


def evaluate_tool_call(
    tool: BaseTool, args: Mapping[str, object], workspace: Workspace, policy: Policy
) -> Decision:
    """Decide one call; its arguments have the tool's own names."""
    paths = extract_paths(tool, args)
    return evaluate_call(tool.name, get_effect(tool), args, paths, workspace, policy)
