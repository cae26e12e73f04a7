"""Events in words, each on one line; `text_renderer.py` prints them."""

from collections.abc import Mapping
from typing import Any

from ...sdk import events as ev
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from .sanitize import escape_hidden, sanitize_line


def describe_hook(event: ev.HookFinished) -> str:
    """Describe what a hook has refused, or wants to be asked."""
    words = {"command": event.command, "reason": translate_stored(event.reason)}
    clean = {name: sanitize_line(value) for name, value in words.items()}
    kind = "go_on" if event.event == "on_stop" else event.outcome
    return t(f"hook.{kind}", **clean)


def describe_background_end(event: ev.BackgroundFinished) -> str:
    """Describe how a background command ended."""
    key = "run.background.killed" if event.exit_code is None else "run.background.ended"
    return t(key, command=sanitize_line(escape_hidden(event.command)), code=event.exit_code)


def describe_card(card: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a card for the texts about it."""
    content = " ".join(sanitize_line(card["content"]).split())
    return {"id": card["id"][:8], "type": t(f"memory.type.{card['type']}"), "content": content}


def describe_outcome(event: ev.Completion, proven: str = "") -> str:
    """Describe how a run ended, with its evidence unless that was shown: `proven`."""
    words = _name_outcome(event.outcome, event.evidence)
    if event.graph == "edit" and event.outcome != "undone":
        return t("outcome.edited") if event.files else t("outcome.unchanged")
    evidence = event.evidence
    if evidence and not event.reason and proven and evidence["reason"] == proven:
        return words
    if event.reason and event.outcome != "undone":
        return sanitize_line(_describe_reason(event, words))
    if evidence and event.outcome != "undone":
        command = f" ({evidence['command']})" if evidence["command"] else ""
        proof = t("labelled", label=words, said=translate_stored(evidence["reason"]))
        return sanitize_line(f"{proof}{command}")
    return t("outcome.skipped") if event.outcome == "unverified" else words


def describe_review(args: Mapping[str, Any]) -> str:
    """Describe the outcome that a review asks about."""
    outcome = _name_outcome(str(args["outcome"]), args)
    reason = str(args.get("reason") or "")
    return t("labelled", label=outcome, said=translate_stored(reason)) if reason else outcome


def _name_outcome(outcome: str, facts: Mapping[str, Any] | None) -> str:
    """Return the outcome in words: a green one beside tests that are red as before says so."""
    is_mixed = outcome == "verified" and facts and facts.get("already_red")
    return t("outcome.verified.no_new" if is_mixed else f"outcome.{outcome}")


def _describe_reason(event: ev.Completion, words: str) -> str:
    """Describe an outcome that its tests do not explain: the reason first, then what they say."""
    line = t("labelled", label=words, said=translate_stored(event.reason))
    evidence = event.evidence
    if not evidence:
        return line
    parts = (translate_stored(evidence["reason"]), evidence["command"])
    return f"{line} ({'; '.join(filter(None, parts))})"
