"""Hold conversations of 400 model turns on small and large windows, and judge what was sent.

    python evals/context_eval/context_eval.py [--chapters 14] [--kills 50] [--messages 60]

The model decides from each request's bytes alone (`chapter_model.py`). Exit code 1 when anything
is not as it must be; the folders of such runs are kept. About 20 minutes.
"""

import argparse
import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

FOLDER = Path(__file__).parent
sys.path += [str(FOLDER.parents[1] / "tests/fixtures"), str(FOLDER.parent / "torture")]

from chapter_plan import MODELS, ChapterPlan  # noqa: E402
from chapter_server import ChapterServer  # noqa: E402
from confinement import SURROUNDINGS  # noqa: E402
from conversation_kills import kill_conversation  # noqa: E402
from conversation_run import (  # noqa: E402
    Conversation,
    count_turns,
    hold_conversation,
    prepare_place,
    run_task,
)
from cost_model import ARMS, AT_MOST, COST_WINDOW, build_cost_plan, compute_cost  # noqa: E402
from history_check import find_missing_history, find_unreachable_cuts  # noqa: E402
from provider import Provider  # noqa: E402
from strict_provider import StrictProvider  # noqa: E402

SMALL, LARGE = 20_000, 1_000_000
VENDOR_WINDOW = 16_000
LARGE_SOURCES = (6_000, 12_000, 24_000)
BRIDGE = {"model": "none"}
SUMMARY = re.compile(r"Notes on the work so far")


@dataclass
class Held:
    """A conversation and the server that it was held with."""

    plan: ChapterPlan
    place: Path
    server: ChapterServer
    conversation: Conversation
    seconds: float
    faults: list[str] = field(default_factory=list[str])

    def find_faults(self) -> list[str]:
        """What is not as it must be, whatever the window."""
        log = [one for one in self.server.log if not one.is_summary]
        events = self.conversation.events
        resets = {event["turns"] for event in events if event["type"] == "cache_reset"}
        changed = {number for number, one in enumerate(log) if one.changed}
        faults = {
            "the conversation ended with": self.conversation.failure,
            "wrong pages": self.plan.find_wrong_pages(self.place / "project"),
            "refused as too long": sum(one.was_refused for one in log),
            "without the newest message": sum(not one.has_newest for one in log),
            "two compactions within five turns": self.conversation.find_thrash(),
            "requests beyond the plan": max(0, len(log) - count_turns(self.plan) * 5 // 4),
            "prefixes changed without a cache_reset": sorted(changed - resets),
        }
        return [f"{what}: {found}" for what, found in faults.items() if found]

    def describe(self) -> str:
        """One line of figures."""
        log = self.server.log
        main = [one for one in log if not one.is_summary]
        cuts = self.conversation.list_compactions()
        return (
            f"{self.conversation.turns} turns, {len(main)} requests and {len(log) - len(main)} for"
            f" summaries, {len(cuts)} compactions, at most {max(one.tokens for one in main):,}"
            f" tokens, cached {sum(one.cached for one in main) / sum(o.tokens for o in main):.0%},"
            f" {self.seconds:.0f} s"
        )


def hold(
    plan: ChapterPlan,
    place: Path,
    window: int,
    context: Any,
    run: Callable[[ChapterPlan, Path], Coroutine[Any, Any, Conversation]] = hold_conversation,
    provider: Provider | None = None,
    **server: Any,
) -> Held:
    """Hold a conversation in this process, or run a task."""
    with provider or Provider() as provider:
        served = ChapterServer(provider, plan, server.pop("fits", window), **server)
        prepare_place(plan, place, provider.url, window, **context)
        begun = time.monotonic()
        conversation = asyncio.run(run(plan, place))
        return Held(plan, place, served, conversation, time.monotonic() - begun)


def hold_whole(plan: ChapterPlan, place: Path, window: int, context: Any, **server: Any) -> Held:
    """Hold a conversation and look for everything that it must not have lost."""
    held = hold(plan, place, window, context, **server)
    held.faults = held.find_faults()
    if not held.conversation.list_compactions():
        held.faults.append("it was never compacted")
    if not held.conversation.failure:
        held.faults += find_missing_history(plan, place, held.conversation.thread)[:5]
        held.faults += asyncio.run(find_unreachable_cuts(place, held.conversation))
    return held


def hold_task(plan: ChapterPlan, place: Path, window: int = SMALL) -> Held:
    """Have a long task done; only its coder's conversation is long enough to be compacted."""
    held = hold(plan, place, window, BRIDGE, run_task)
    held.faults = held.find_faults()
    if not held.conversation.list_compactions():
        held.faults.append("it was never compacted")
    return held


def hold_with_vendors(plan: ChapterPlan, place: Path) -> list[str]:
    """Hold it with servers that refuse what a vendor's real one refuses, with thinking."""
    faults = list[str]()
    for vendor, model in MODELS.items():
        provider = StrictProvider(vendor)
        run = partial(hold_conversation, model=f"{vendor}/{model}")
        for context in (BRIDGE, {}):
            folder = place / f"{vendor}-{len(context)}"
            held = hold(plan, folder, VENDOR_WINDOW, context, run, provider, thinks=True)
            provider = StrictProvider(vendor)
            print(f"  {vendor}: {held.describe()}")
            faults += [f"{vendor}: {fault}" for fault in held.find_faults()]
            if not held.conversation.list_compactions():
                faults.append(f"{vendor}: it was never compacted")
    return faults


def hold_without_summary(plan: ChapterPlan, place: Path, window: int = SMALL) -> Held:
    """With an empty line for each summary the conversation must fail."""
    held = hold(plan, place, window, BRIDGE, hidden=SUMMARY)
    is_red = held.conversation.failure or plan.find_wrong_pages(place / "project")
    held.faults = [] if is_red else ["it does not need the summaries"]
    return held


def hold_through_kills(
    plan: ChapterPlan, place: Path, kills: int, dice: Random, window: int = SMALL
) -> list[str]:
    """Kill it again and again; return what is wrong in the end."""
    with Provider() as provider:
        server = ChapterServer(provider, plan, window)
        prepare_place(plan, place, provider.url, window)
        landed = kill_conversation(plan, place, server, kills, dice)
        print(f"  {landed.total()} kills: {dict(landed)}")
        again = asyncio.run(hold_conversation(plan, place))
    faults = [f"wrong pages: {wrong}" for wrong in plan.find_wrong_pages(place / "project")]
    if landed.total() < kills:
        faults.append(f"only {landed.total()} kills")
    return faults + find_missing_history(plan, place, again.thread)[:5]


def compare_costs(messages: int, place: Path) -> list[str]:
    """Hold the same conversation with nothing, summaries alone, and both; return what is dearer."""
    plan, costs = build_cost_plan(messages), dict[str, float]()
    for arm, context in ARMS.items():
        folder = place / arm.replace(" ", "-")
        window = LARGE if arm == "nothing" else COST_WINDOW
        held = hold(plan, folder, window, {**context, "compact_tokens": LARGE}, fits=LARGE)
        costs[arm] = compute_cost(held.server.log)
        print(f"  {arm}: {costs[arm] / 1000:,.0f}k; {held.describe()}")
        if held.conversation.failure:
            return [held.conversation.failure]
    nothing, alone, both = (costs[arm] for arm in ARMS)
    print(f"  both : nothing {both / nothing:.2f}; both : summary alone {both / alone:.3f}")
    faults = ["more than the bar of doing nothing"] if both > AT_MOST * nothing else []
    # the same conversation differs by some bytes: folders, IDs
    return [*faults, *(["more than summaries alone"] if both > 1.005 * alone else [])]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--chapters", type=int, default=14)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--messages", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", help="parts whose names contain this")
    chosen = parser.parse_args()
    keys = {f"{name.upper()}_API_KEY": "for-a-server-here" for name in ("openai", *MODELS)}
    os.environ.update({**SURROUNDINGS, **keys})
    folder = Path(tempfile.mkdtemp(prefix="context-"))
    print(f"seed {chosen.seed}, folder {folder}")
    small = ChapterPlan(chosen.chapters)
    large = ChapterPlan(chosen.chapters, LARGE_SOURCES)

    def report(held: Held) -> list[str]:
        print(f"  {held.describe()}")
        return held.faults

    parts: dict[str, Callable[[Path], list[str]]] = {
        "20k window, without a model": lambda at: report(hold_whole(small, at, SMALL, BRIDGE)),
        "20k window, summaries of the model": lambda at: report(hold_whole(small, at, SMALL, {})),
        "20k window, the model's summaries are empty": lambda at: report(
            hold_whole(small, at, SMALL, {}, summary="\n")
        ),
        "20k window, an empty line for each summary: must fail": lambda at: report(
            hold_without_summary(small, at)
        ),
        "20k window, a task": lambda at: report(
            hold_task(ChapterPlan(1, (1_600, 3_000), pages_each=9), at)
        ),
        "16k window, servers as strict as the vendors'": lambda at: hold_with_vendors(
            ChapterPlan(3, pages_each=3), at
        ),
        "1M window, compacted at 200k": lambda at: report(hold_whole(large, at, LARGE, {})),
        # long enough for all of them: a kill inside a summary waits for the next one
        f"{chosen.kills} kills": lambda at: hold_through_kills(
            ChapterPlan(4 * chosen.chapters), at, chosen.kills, Random(chosen.seed)
        ),
        f"cost of {chosen.messages} messages": lambda at: compare_costs(chosen.messages, at),
    }
    red = 0
    for number, (name, run) in enumerate(parts.items()):
        if chosen.only in name:
            print(name, flush=True)
            faults = run(folder / str(number))
            red += bool(faults)
            print("\n".join(f"  WRONG: {fault}" for fault in faults) or "  as it must be")
    if not red:
        shutil.rmtree(folder)
    return 1 if red else 0


if __name__ == "__main__":
    sys.exit(main())
