"""The files and programs that a call would run: an approval holds while they are unchanged."""

from collections.abc import Sequence

from langchain_core.tools import BaseTool

from ...config.security.provenance import Provenance, find_provenance_changes
from ...tools.consent.origin import Origin
from ...tools.consent.rule_record import provenances_from_json, provenances_to_json
from ...tools.permissions.evaluate_tool import find_call_origins
from ..run.dependencies import Dependencies
from ..tool_task import PendingCall, ToolTask, get_journal_key

# Subject of a file that an edit of the same answer changes: the user has seen that edit
SHOWN_EDIT = "shown edit"
OTHER_ORIGINS = (
    "What this call starts is not what it was when it was allowed: {what}. It was not run; call it "
    "again"
)


def list_origins(call: PendingCall, tool: BaseTool, deps: Dependencies) -> tuple[Origin, ...]:
    """Return what the call and the commands after it start now; reads their files."""
    commands = call.get("commands", ())
    return find_call_origins(tool, call["args"], commands, deps.workspace, deps.policy)


def bind_call(
    call: PendingCall, origins: Sequence[Origin], edited: Sequence[str] = ()
) -> PendingCall:
    """Bind a call to what it starts, but for files that an edit before it changes."""
    provenances = [
        origin.provenance for origin in origins if origin.provenance.source not in edited
    ]
    provenances += [Provenance(SHOWN_EDIT, source, "") for source in edited]
    return {**call, "origins": provenances_to_json(provenances)}


def read_provenances(call: PendingCall) -> tuple[Provenance, ...]:
    """Return what a call is bound to."""
    return provenances_from_json(call.get("origins", []))


def list_origin_changes(call: PendingCall, tool: BaseTool, deps: Dependencies) -> list[str]:
    """List what an approved call would start that the user has not seen; empty if nothing."""
    if "origins" not in call:
        return []
    consented = read_provenances(call)
    edited = {item.source for item in consented if item.subject == SHOWN_EDIT}
    current = [origin.provenance for origin in list_origins(call, tool, deps)]
    other = [item for item in current if item not in consented and item.source not in edited]
    return [*find_provenance_changes(consented, other)] if other else []


def explain_other_origins(call: PendingCall, tool: BaseTool, deps: Dependencies) -> str:
    """Explain why an approved call must not run any more; empty if it starts what it did then."""
    changes = list_origin_changes(call, tool, deps)
    return OTHER_ORIGINS.format(what="; ".join(changes)) if changes else ""


def starts_other(task: ToolTask, thread: str, deps: Dependencies, tool: BaseTool) -> bool:
    """Return whether what an asked call starts has changed before its turn.

    An earlier call of the same answer may have written it. A call that has begun may have changed
    it itself.
    """
    call = task["call"]
    if "origins" not in call or task.get("together", 1) > 1:
        return False
    if deps.journal.find_call(thread, get_journal_key(call)):
        return False
    return bool(list_origin_changes(call, tool, deps))
