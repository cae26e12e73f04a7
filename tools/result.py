"""The result of a tool call and its error."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# In `metadata`: references of images that the model is to see
IMAGES = "images"


class ToolError(Exception):
    """What went wrong and what to try, for the model; becomes `CallResult.error`."""


@dataclass(frozen=True)
class CallResult:
    """The answer to one tool call."""

    output: str = ""
    """What the model reads."""
    error: str = ""
    """What went wrong and what to try; empty if the call succeeded."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Small JSON values for the user and programs: `path`, `diff`, `exit_code`, `output_file`…"""
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    """Content hash of every file this call showed or wrote, by path relative to the project."""
    update: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Changes to the thread's state, by channel: `todos`, `completion`."""

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        return not self.error
