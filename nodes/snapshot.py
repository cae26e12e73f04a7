"""Snapshot the workspace after a step that changed files: a checkpoint is (conversation, files)."""

from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .context import Context
from .state import State
from .tell import tell
from .workbench import workbench


async def snapshot(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["architect", "coder", "tester"]]:
    """Store the tree, tell what changed, go on with the role that acted."""
    tree = await current_tree(state, runtime)
    _, old = span(state)
    if old and tree != old:
        bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
        changes = await bench.snapshots.changes(old, tree) if bench.snapshots else []
        files = [{"path": change.path, "kind": change.kind} for change in changes]
        tell(runtime, "files_changed", files=files, tree=tree)
    return Command(goto=state.get("role", "coder"), update={"tree": tree, "proven": False})


async def ground(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """The workspace before a step: what changed since the last one is not the thread's doing."""
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    tree = await current_tree(state, runtime)
    known = state.get("tree", "")
    if not bench.snapshots or tree == known:
        return {}
    if not state.get("base_tree"):
        return {"base_tree": tree, "tree": tree}
    changed = {change.path for change in await bench.snapshots.changes(known, tree)}
    return {"tree": tree, "theirs": sorted({*state.get("theirs", []), *changed})}


def span(state: State) -> tuple[str, str]:
    """The trees before and after all that the thread did; the same when it had no effect."""
    tree = state.get("tree", "")
    return state.get("base_tree") or tree, tree


async def current_tree(state: State, runtime: Runtime[Context]) -> str:
    """The id of the workspace as it is now; empty when git is missing."""
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    return await bench.snapshots.take() if bench.snapshots else ""
