"""What is wrong with an agent that reads well: tools, rules and files that mean nothing here."""

from collections.abc import Iterator

from ...config.agents.profile import AgentProfile
from ...config.errors import UsageError
from ...config.settings.schema import ToolsSection
from ..permissions.policy import read_files
from ..permissions.rule import read_rule
from .agent_tools import select_agent_tools


def find_mistakes(profile: AgentProfile) -> Iterator[str]:
    """Each mistake as `FILE:LINE: what`."""
    try:
        select_agent_tools(profile, ToolsSection())
    except UsageError as error:
        yield error.message
    for rule in profile.permissions:
        try:
            read_rule(rule)
        except ValueError as error:
            yield f"{rule.origin}: {rule.kind} rule `{rule.text}`: {error}"
    try:
        read_files(profile)
    except UsageError as error:
        yield error.message
