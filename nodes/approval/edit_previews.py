"""Show what an edit that must be asked would change; one that would be refused is not asked."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from ...config.security.redaction import marks_in
from ...tools.definition import effect_of, shows_files
from ...tools.result import ToolResult
from ...tools.runtime.edit_preview import CHANGED, Call, preview
from ...tools.textedits.unified_diff import shortened
from ..agent.agent import Voice
from ..agent.message_history import last_seen
from ..state import State
from .dispatch import Tools, named_files
from .evaluate import Ruling, ids_of

LONGEST_SHOWN = 20_000
"""Characters of a diff that a question carries."""
NO_DIFF = "{reason}; what it would change cannot be shown: {why}"
NO_CHANGE = "{reason}; it would change nothing"


async def previewed(rulings: Sequence[Ruling], state: State, voice: Voice) -> list[Ruling]:
    """The rulings on an answer's calls, those on edits that must be asked with their diffs.

    What was shown to the human already stays asked, whatever has become of the files since.
    """
    tools = voice.tools
    tried = _tried(rulings, tools)
    if not tried:
        return list(rulings)
    calls = [await asyncio.to_thread(_call, one, state, voice) for one in tried]
    try:
        found = await preview(calls, voice.bench.workspace)
    except OSError as error:
        found = [ToolResult(error=str(error.strerror or error))] * len(tried)
        return _with(rulings, tried, found, stay={ruling.call["id"] for ruling in tried})
    stay = {*ids_of(state.get("asked", [])), *_after_a_program(rulings, tools)}
    return _with(rulings, tried, found, stay=stay)


def _tried(rulings: Sequence[Ruling], tools: Tools) -> list[Ruling]:
    """The edits up to the last that must be asked, and what shows files before them, in order.

    Each edit builds on those before it. A model may read a file and edit it in one answer: when
    the edit's turn comes, the file has been read.
    """
    asked = [at for at, one in enumerate(rulings) if one.verdict == "ask" and _writes(one, tools)]
    last = asked[-1] if asked else -1
    return [one for one in rulings[: last + 1] if _writes(one, tools) or _shows(one, tools)]


def _writes(ruling: Ruling, tools: Tools) -> bool:
    """Whether it is an edit that may be made."""
    may_be = ruling.verdict in ("ask", "allow")
    return may_be and effect_of(tools[ruling.call["name"]]) == "edit"


def _shows(ruling: Ruling, tools: Tools) -> bool:
    return ruling.verdict == "allow" and shows_files(tools[ruling.call["name"]])


def _call(ruling: Ruling, state: State, voice: Voice) -> Call:
    tool = voice.tools[ruling.call["name"]]
    named = named_files(ruling.call, tool, voice.bench.workspace)
    return Call(tool, ruling.call["args"], last_seen(state, named))


def _after_a_program(rulings: Sequence[Ruling], tools: Tools) -> set[str]:
    """Calls before which a program runs: what it does to the files is not known yet."""
    effects = [effect_of(tools[r.call["name"]]) if r.verdict != "deny" else "" for r in rulings]
    first = effects.index("execute") if "execute" in effects else len(effects)
    return {ruling.call["id"] for ruling in rulings[first:]}


def _with(
    rulings: Sequence[Ruling],
    edits: Sequence[Ruling],
    found: Sequence[ToolResult],
    stay: Collection[str],
) -> list[Ruling]:
    results = {edit.call["id"]: result for edit, result in zip(edits, found, strict=True)}
    return [
        _shown(ruling, result, stays=ruling.call["id"] in stay)
        if ruling.verdict == "ask" and (result := results.get(ruling.call["id"]))
        else ruling
        for ruling in rulings
    ]


def _shown(ruling: Ruling, result: ToolResult, *, stays: bool) -> Ruling:
    if result.ok:
        whole = str(result.metadata.get("diff", ""))
        diff = shortened(whole, LONGEST_SHOWN)
        reason = ruling.reason if diff else NO_CHANGE.format(reason=ruling.reason)
        if diff == whole and _tells_all(diff) and (changed := result.metadata.get(CHANGED)):
            ruling = replace(ruling, call={**ruling.call, "instructions": changed})
        return replace(ruling, reason=reason, diff=diff)
    if stays:
        reason = NO_DIFF.format(reason=ruling.reason, why=result.error)
        return replace(ruling, reason=reason)
    return replace(ruling, verdict="deny", reason=result.error)


def _tells_all(diff: str) -> bool:
    """Whether each byte that changes stands in it: the mark of a secret may hide words that only
    look like one, and a file that moves brings along what it held.
    """
    return not marks_in(diff) and "\nrename to " not in f"\n{diff}"
