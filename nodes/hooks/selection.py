"""The hooks of an event, from the settings; without hooks nothing else is imported."""

from collections.abc import Collection, Sequence

from ...config.settings.hook_entries import HookEvent
from ...config.settings.hooks import ConfiguredHook
from ...config.settings.policy_file import load_managed_policy
from ...config.settings.policy_layer import select_allowed_hooks
from ..run.dependencies import Dependencies


def select_hooks(deps: Dependencies, event: HookEvent, tool: str = "") -> Sequence[ConfiguredHook]:
    """Return the hooks of an event, each command once; of a tool only those that match it."""
    hooks: Sequence[ConfiguredHook] = [hook for hook in deps.hooks if hook.event == event]
    if not hooks or not (hooks := select_allowed_hooks(hooks, load_managed_policy())):
        return ()
    if tool:
        from ...tools.hooks.matching import matches_tool

        hooks = [hook for hook in hooks if matches_tool(hook.matcher, tool)]
    return list({(hook.command, hook.from_project): hook for hook in hooks}.values())


def list_hooked_tools(deps: Dependencies, tools: Collection[str]) -> frozenset[str]:
    """List those of the tools whose calls a hook sees before they run."""
    return frozenset(tool for tool in tools if select_hooks(deps, "before_tool", tool))
