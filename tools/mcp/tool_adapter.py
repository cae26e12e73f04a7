"""A server's tool as a LangChain tool: name, description and schema as a model is shown them."""

from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import SkipValidation

from ..result import ToolError
from .client.portable_schema import name_properties, to_portable_schema
from .definition import ToolDefinition
from .tool_text import describe_tool, remove_hidden_from_schema


class McpTool(BaseTool):
    """A tool of a server. MaxAgent calls it by its definition, so LangChain cannot."""

    definition: SkipValidation[ToolDefinition]
    is_repeatable: bool = False
    """Whether a call that was cut short may run again: a user's server says that it only reads."""

    def _run(self, *args: object, **kwargs: object) -> object:
        raise ToolError(f"`{self.name}` is called over its server's connection")


def build_tool(name: str, definition: ToolDefinition, *, from_project: bool) -> McpTool:
    """Build the tool under this name; nothing is believed of a project's own server."""
    return McpTool(
        name=name,
        description=describe_tool(definition),
        args_schema=to_portable_schema(remove_hidden_from_schema(definition.schema)),
        metadata={"effect": "execute"},
        definition=definition,
        is_repeatable=definition.read_only and not from_project,
    )


def find_text_argument(schema: Mapping[str, Any]) -> str:
    """Return the tool's one required argument if that is a text; else empty."""
    portable = to_portable_schema(schema)
    required: list[str] = portable.get("required", [])
    if len(required) != 1 or portable["properties"][required[0]].get("type") != "string":
        return ""
    return name_properties(list(schema.get("properties", {}))).get(required[0], required[0])
