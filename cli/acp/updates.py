"""The events of a run as updates of a session, in the words of either protocol version."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...sdk import events as ev
from ..i18n.catalogs import t
from ..i18n.message_translation import translate_notice
from .tool_calls import diff_content, find_locations, format_title, get_kind, text_content

# Seconds between two updates of a running command's output
OUTPUT_INTERVAL = 0.5
Update = dict[str, Any]
_TODO_STATES = {"completed": "completed", "in_progress": "in_progress", "done": "completed"}


@dataclass
class UpdateWriter:
    """Turns events into updates; one for each turn or transcript of a session."""

    version: int
    thread_id: str
    folder: str
    notices: bool = True
    """Whether the client shows notices; otherwise they are thoughts."""
    compactions: bool = True
    """Whether the client shows compactions; otherwise they are notices."""
    number: int = 0
    """Of the message: model answers and messages of the user so far."""
    _outputs: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _sent_at: float = 0.0

    def render(self, event: ev.Event) -> Iterator[Update]:
        """Yield what a client is told of an event; nothing for what it does not show."""
        if ev.is_from_subagent(event) and not isinstance(event, ev.ToolCall | ev.ToolResult):
            return
        match event:
            case ev.Output():
                yield self.chunk("agent_message", event.text)
            case ev.Thinking():
                yield self.chunk("agent_thought", event.text)
            case ev.ToolCall():
                yield self.tool_call(event.id, event.tool, event.args, event.agent)
            case ev.ToolOutput():
                yield from self._render_output(event)
            case ev.ToolResult():
                yield self._render_result(event)
            case ev.TokenUsage():
                self.number += 1
                yield self._render_usage(event)
            case ev.Todos():
                yield self._render_todos(event)
            case ev.CompactionStarted() | ev.CompactionFinished():
                yield from self._render_compaction(event)
            case _:
                yield from self._render_notice(event)

    def chunk(self, kind: str, words: str) -> Update:
        """Return a piece of a message: `agent_message`, `agent_thought` or `user_message`."""
        message_id = f"{self.thread_id}-{self.number}-{kind.partition('_')[2]}"
        content = {"type": "text", "text": words}
        return {"sessionUpdate": f"{kind}_chunk", "content": content, "messageId": message_id}

    def tool_call(self, call_id: str, tool: str, args: Mapping[str, Any], agent: str) -> Update:
        """Return a call that is about to be decided."""
        return {
            "sessionUpdate": "tool_call" if self.version == 1 else "tool_call_update",
            "toolCallId": call_id,
            "name": tool,
            "title": format_title(tool, args, agent),
            "kind": get_kind(tool),
            "status": "pending",
            "rawInput": dict(args),
            "locations": find_locations(args, self.folder),
        }

    def notice(self, words: str, severity: str = "info") -> Update:
        """Return a notice of the agent itself."""
        if not self.notices:
            return self.chunk("agent_thought", f"{words}\n")
        return {"sessionUpdate": "notice", "severity": severity, "title": words}

    def finish_call(
        self, call_id: str, *, ok: bool, output: str, facts: Mapping[str, Any]
    ) -> Update:
        """Return the end of a call, with its output and its diff."""
        content = diff_content(str(facts.get("diff") or ""), self.folder, self.version)
        if output and not (ok and content):
            content.append(text_content(output))
        return {
            "sessionUpdate": "tool_call_update",
            "toolCallId": call_id,
            "status": "completed" if ok else "failed",
            "content": content,
        }

    def _render_output(self, event: ev.ToolOutput) -> Iterator[Update]:
        parts = self._outputs.setdefault(event.id, [])
        parts.append(event.text)
        if event.id == "verify" or time.monotonic() - self._sent_at < OUTPUT_INTERVAL:
            return
        self._sent_at = time.monotonic()
        yield {
            "sessionUpdate": "tool_call_update",
            "toolCallId": event.id,
            "status": "in_progress",
            "content": [text_content("".join(parts))],
        }

    def _render_result(self, event: ev.ToolResult) -> Update:
        self._outputs.pop(event.id, None)
        words = "\n".join(filter(None, [event.output, event.error]))
        return self.finish_call(event.id, ok=event.ok, output=words, facts=event.metadata)

    def _render_usage(self, event: ev.TokenUsage) -> Update:
        cost = {"cost": {"amount": event.cost, "currency": "USD"}} if event.cost is not None else {}
        return {
            "sessionUpdate": "usage_update",
            "used": event.window,
            "size": max(event.context_length, event.window),
            **cost,
        }

    def _render_todos(self, event: ev.Todos) -> Update:
        entries = [
            {
                "content": str(item.get("content", "")),
                "priority": str(item.get("priority") or "medium"),
                "status": _TODO_STATES.get(str(item.get("status")), "pending"),
            }
            for item in event.items
        ]
        if self.version == 1:
            return {"sessionUpdate": "plan", "entries": entries}
        plan = {"type": "items", "planId": "todos", "entries": entries}
        return {"sessionUpdate": "plan_update", "plan": plan}

    def _render_compaction(
        self, event: ev.CompactionStarted | ev.CompactionFinished
    ) -> Iterator[Update]:
        is_over = isinstance(event, ev.CompactionFinished)
        if not self.compactions:
            if is_over and event.by:
                words = t("acp.compacted", before=f"{event.before:,}", after=f"{event.after:,}")
                yield self.notice(words)
            return
        summary = [{"type": "text", "text": event.summary}] if is_over and event.summary else None
        yield {
            "sessionUpdate": "compaction_update",
            "compactionId": f"{self.thread_id}-{event.conversation}-{self.number}",
            "status": "completed" if is_over else "in_progress",
            **({"summary": summary} if summary else {}),
        }

    def _render_notice(self, event: ev.Event) -> Iterator[Update]:
        match event:
            case ev.Notice():
                yield self.notice(translate_notice(event.text))
            case ev.Retrying():
                self.number += 1  # what came of this answer does not count
                yield self.notice(t("acp.repeated", reason=event.reason), "warning")
            case ev.ModelChanged():
                self.number += 1
                yield self.notice(
                    t("acp.other_model", model=event.to, reason=event.reason), "warning"
                )
            case ev.HookFinished(outcome="refused"):
                yield self.notice(t("acp.hook", reason=event.reason), "warning")
            case ev.CardProposed():
                yield self.notice(t("acp.card", card=event.card.get("content", "")))
            case _:
                pass
