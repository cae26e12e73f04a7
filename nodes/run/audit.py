"""The audit of a run: questions, answers, and calls with the rule that let them run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ...config import paths
from ...config.security.redaction import redact_json
from ...memory.audit import add_record, describe_user, digest_result
from ...memory.journal import JournalEntry
from ...memory.threads.thread_id import is_thread_id
from ..tool_task import PendingCall
from .context import Context
from .dependencies import Dependencies


def record_question(question: Mapping[str, Any]) -> str:
    """Record what the user is asked and shown, once; return the name of the question."""
    content = redact_json(dict(question))
    name = digest_result(json.dumps(content, sort_keys=True, default=str))[:16]
    if thread := _find_thread():
        fields = {"question": name, "shown": content}
        add_record(*thread, "asked", fields, once=f"asked {name} {_find_step()}")
    return name


def record_answer(name: str, answer: object) -> None:
    """Record the answer to a question, and who gave it, once."""
    if thread := _find_thread():
        fields = {"question": name, "answer": redact_json(answer), **describe_user()}
        add_record(*thread, "answered", fields, once=f"answered {name} {_find_step()}")


def begin_call(
    deps: Dependencies, thread: str, key: str, tool: str, call: PendingCall, *, repeatable: bool
) -> JournalEntry:
    """Begin a call in the journal; a new one, and the rule that lets it run, in the audit."""
    fields = {
        "args": redact_json(dict(call["args"])),
        "rule": call.get("rule", ""),
        "sandbox": call.get("sandbox", ""),
        **describe_user(),
    }
    audit = fields if is_thread_id(thread) else None
    return deps.journal.begin_call(thread, key, tool, repeatable=repeatable, audit=audit)


def finish_call(deps: Dependencies, thread: str, key: str, result: Mapping[str, Any]) -> None:
    """Record the result in the journal, and its digest in the audit."""
    deps.journal.finish_call(thread, key, result, is_audited=is_thread_id(thread))


def _find_thread() -> tuple[Path, str] | None:
    """Return database and ID of the running thread; None for a graph without a thread."""
    configurable: dict[str, Any] = get_config().get("configurable", {})
    thread = str(configurable.get("thread_id") or "")
    if not is_thread_id(thread):
        return None
    context = get_runtime(Context).context
    home = Path(context.home) if context.home else paths.locate_home()
    return paths.locate_database(home), thread


def _find_step() -> str:
    """Return the step's place in the thread, so that an equal question later is another one."""
    configurable: dict[str, Any] = get_config().get("configurable", {})
    return str(configurable.get("checkpoint_ns") or "")
