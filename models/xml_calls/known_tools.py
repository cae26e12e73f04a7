"""The tools that calls in a text can name: names, aliases, schemas of the arguments."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool


class KnownTool:
    """One tool; its schema is read when it is first needed."""

    def __init__(self, tool: BaseTool, argument_aliases: Mapping[str, str]) -> None:
        self.name = tool.name
        self._tool = tool
        self._argument_aliases = argument_aliases

    @cached_property
    def description(self) -> str:
        """Return the description that native calling sends."""
        return str(self._function.get("description", "")).strip()

    @cached_property
    def arguments(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the JSON schema of each argument."""
        parameters = cast("dict[str, Any]", self._function.get("parameters", {}))
        return cast("dict[str, dict[str, Any]]", parameters.get("properties", {}))

    @cached_property
    def required(self) -> frozenset[str]:
        """Return the arguments that each call must have."""
        parameters = cast("dict[str, Any]", self._function.get("parameters", {}))
        return frozenset(cast("list[str]", parameters.get("required", [])))

    def find_schema(self, argument: str) -> Mapping[str, Any] | None:
        """Return the schema of an argument by its name or alias; None if it is unknown."""
        if argument in self.arguments:
            return self.arguments[argument]
        return self.arguments.get(self._argument_aliases.get(argument, ""))

    @cached_property
    def _function(self) -> dict[str, Any]:
        return convert_to_openai_tool(self._tool)["function"]


class KnownTools:
    """Tools by name and alias; case, `_` and `-` do not count."""

    def __init__(
        self,
        tools: Sequence[BaseTool],
        aliases: Mapping[str, str],
        argument_aliases: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.tools = {
            tool.name: KnownTool(tool, argument_aliases.get(tool.name, {})) for tool in tools
        }
        names = {alias: name for alias, name in aliases.items() if name in self.tools}
        names |= {name: name for name in self.tools}
        self._by_name = {_normalize_name(alias): self.tools[name] for alias, name in names.items()}

    def find(self, name: str) -> KnownTool | None:
        """Return the tool of this name or alias."""
        return self._by_name.get(_normalize_name(name))

    def is_canonical(self, name: str) -> bool:
        """Return whether it is a tool's own name, not an alias, which may be an ordinary word."""
        tool = self.find(name)
        return tool is not None and _normalize_name(tool.name) == _normalize_name(name)

    def has_prefix(self, start: str) -> bool:
        """Return whether a name or an alias begins with this."""
        prefix = _normalize_name(start)
        return any(name.startswith(prefix) for name in self._by_name)


def _normalize_name(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
