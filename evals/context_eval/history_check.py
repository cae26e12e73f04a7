"""Whether a compacted thread has lost nothing: `threads show`, rewind and fork before each cut."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from chapter_plan import ChapterPlan
from conversation_run import Conversation
from warm_start import LANG, run_mcode

from maxagent import Runner
from maxagent.memory.threads.lease import acquire_lease
from maxagent.sdk.graph_registry import CHAT
from maxagent.sdk.threads.steps import find_step
from maxagent.sdk.threads.time_travel import fork, rewind_talk


def find_missing_history(plan: ChapterPlan, place: Path, thread: str) -> list[str]:
    """What `mcode threads show` does not show: messages of the user, reads and written pages."""
    environ = {**os.environ, "LANG": LANG, "MAXAGENT_HOME": str(place / "home")}
    shown = run_mcode(["threads", "show", thread, "--json"], place, environ)
    shown.check_returncode()
    entries = json.loads(shown.stdout)["transcript"]
    said = [entry["text"] for entry in entries if entry["kind"] == "human"]
    calls = {
        (entry["tool"], path): entry["result"]
        for entry in entries
        if entry["kind"] == "call" and (path := entry["args"].get("path"))
    }
    missing = [
        f"message {chapter}"
        for chapter in range(1, plan.chapters + 1)
        if plan.build_message(chapter) not in said
    ]
    for page in plan.pages:
        for part in "abcd":
            source = page.get_source(part)
            words = (place / "project" / source).read_text().split()[-1]
            if words not in calls.get(("read_file", source), ""):
                missing.append(source)
        if ("write_file", page.path) not in calls:
            missing.append(page.path)
    return missing


async def find_unreachable_cuts(place: Path, conversation: Conversation) -> list[str]:
    """What goes wrong when one forks, and then rewinds, to just before each cut."""
    faults = list[str]()
    cuts = conversation.list_compactions()
    async with Runner(home=place / "home") as runner:
        for number, cut in reversed([*enumerate(cuts)]):
            faults += await _try_cut(runner, conversation.thread, cut["turns"], number)
    return faults


async def _try_cut(runner: Runner, thread: str, turns: int, number: int) -> Sequence[str]:
    """Go to the last step before the cut of this number, in a fork and then in the thread."""
    row = runner.threads.get(thread)
    step = find_step(row, runner.home, turns)
    forked = await fork(row, runner.home, step)
    with acquire_lease(runner.home, thread):
        await rewind_talk(row, runner.home, step)
    faults = list[str]()
    for name in (forked.thread_id, thread):
        graph = runner._graph_of(CHAT)  # pyright: ignore[reportPrivateUsage]
        state = (await graph.aget_state({"configurable": {"thread_id": name}})).values
        cut = state.get("cuts", {}).get("chat")
        if bool(cut) != (number > 0):
            faults.append(f"cut {number + 1} at {turns}: {'a' if cut else 'no'} cut before it")
        if state["steps"] != turns:
            faults.append(f"cut {number + 1}: step {state['steps']}, not {turns}")
    return faults
