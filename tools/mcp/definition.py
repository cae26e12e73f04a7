"""What an MCP server offers: tools, prompts, resources; needs no import of `mcp`."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

# old: an `initialize` handshake, up to 2025-11-25 · new: `server/discover`, since 2026-07-28
Era = Literal["", "old", "new"]


@dataclass(frozen=True)
class ToolDefinition:
    """A tool, in the server's own words."""

    server: str
    name: str
    description: str
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """JSON schema of the arguments, as the server wrote it."""
    title: str = ""
    read_only: bool = False
    """Whether the server says that the tool changes nothing; nobody has checked it."""

    @property
    def digest(self) -> str:
        """Hash of what a model is told of the tool: name, description, schema."""
        parts = [self.name, self.description, self.schema]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class PromptArgument:
    """An argument of a prompt; its value is always text."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True)
class PromptDefinition:
    """A prompt that a server keeps for its users."""

    server: str
    name: str
    description: str = ""
    title: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True)
class ResourceDefinition:
    """A resource, or a template of resources, of a server."""

    server: str
    uri: str
    """Of a template with `{variables}`."""
    name: str
    description: str = ""
    mime_type: str = ""
    is_template: bool = False


@dataclass(frozen=True)
class ServerDefinitions:
    """All that a server offers; tools, prompts and resources in the server's order."""

    tools: tuple[ToolDefinition, ...] = ()
    prompts: tuple[PromptDefinition, ...] = ()
    resources: tuple[ResourceDefinition, ...] = ()
    instructions: str = ""
    """What the server wants models to know of it: a stranger's words."""
    era: Era = ""
    version: str = ""
    """The version of the protocol that was spoken."""
    discovered: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a server of the new era said of itself, as JSON: saves the question next time."""
    left_out: tuple[str, ...] = ()
    """Tools that cannot be called, by name and with the reason."""
