"""The result of a tool call and its error."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class ToolError(Exception):
    """What went wrong and what to try, in words for the model; becomes `ToolResult.error`."""


@dataclass(frozen=True)
class ToolResult:
    """The answer to one tool call."""

    output: str = ""
    """What the model reads."""
    error: str = ""
    """What went wrong and what to try; empty when the call succeeded."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Small JSON facts for people and programs: `path`, `diff`, `exit_code`, `output_path`…"""
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    """Content hash of every file this call showed or wrote, by path relative to the project."""
    update: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Changes to the thread's state, by channel: `todos`, `completion`."""

    @property
    def ok(self) -> bool:
        """Whether the call did what it was asked."""
        return not self.error
