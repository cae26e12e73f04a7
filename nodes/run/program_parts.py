"""ProgramParts: the tools, the chat model and the hooks of a program that embeds MaxAgent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from ...config.settings.hook_entries import HookEvent
from ...config.settings.hooks import ConfiguredHook, HookFunction, build_program_hooks
from .dependency_pool import DependencyPool

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.tools import BaseTool

    from ...tools.runtime.program_tools import ProgramTool


class ProgramArguments(TypedDict, total=False):
    """What a program gives: to `Runner`, or to `build_graph` of a job."""

    tools: "Sequence[ProgramTool]"
    """Functions, or tools of LangChain, that the agents may call."""
    model: "BaseChatModel | None"
    """The chat model of new threads whose options name none."""
    hooks: Mapping[HookEvent, Sequence[HookFunction]] | None
    """Functions, by event."""


@dataclass(frozen=True)
class ProgramParts:
    """The same, checked."""

    tools: "tuple[BaseTool, ...]" = ()
    model: "BaseChatModel | None" = None
    hooks: tuple[ConfiguredHook, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether the program gives nothing."""
        return not (self.tools or self.model or self.hooks)

    @property
    def model_name(self) -> str:
        """Return the model's name in threads; empty: there is no model."""
        if self.model is None:
            return ""
        from ...models.program.program_model import name_program_model

        return name_program_model(self.model)

    def create_pool(self) -> DependencyPool:
        """Create a pool whose dependencies have these parts."""
        return DependencyPool(self.tools, self.model, self.hooks)


def build_program_parts(
    tools: "Sequence[ProgramTool]" = (),
    model: "BaseChatModel | None" = None,
    hooks: Mapping[HookEvent, Sequence[HookFunction]] | None = None,
) -> ProgramParts:
    """Build the parts; raises UsageError for one that cannot be used."""
    built: tuple[BaseTool, ...] = ()
    if tools:
        from ...tools.runtime.program_tools import build_program_tools

        built = build_program_tools(tools)
    parts = ProgramParts(built, model, build_program_hooks(hooks or {}))
    _ = parts.model_name
    return parts
