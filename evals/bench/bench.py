"""How fast MaxAgent is, as ratios beside two bare loops: `make bench`, about nine minutes.

All figures of a run belong together: the programs take turns, each figure is a median, and times
are processor time (user and system, children included), because the machine is shared. Absolute
times are this machine's; read the ratios. "Bare httpx" is a loop that keeps nothing, the floor in
Python; "bare LangGraph" is the least graph with a saver (`langgraph_loop.py`). All three talk to
the same streaming server and do the same steps: a model turn with one call of `read_file`.

Ends with 1 when a bar is missed, or a figure is worse than that of `figures.json` by more than 15 %
in two runs in a row. `--save` writes `figures.json`: on a machine that does nothing else.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
sys.path += [str(TESTS / "fixtures"), str(TESTS / "e2e")]

from contenders import make_project  # noqa: E402
from context_costs import measure_context  # noqa: E402
from conversation_costs import measure_conversation  # noqa: E402
from dialect_costs import measure_dialects  # noqa: E402
from first_prompt import measure_first_prompt  # noqa: E402
from gauge import Gauge  # noqa: E402
from lengths import measure_lengths  # noqa: E402
from light import measure_light_commands  # noqa: E402
from memory_costs import measure_memory  # noqa: E402
from provider import Provider  # noqa: E402
from sandbox_costs import measure_sandbox  # noqa: E402
from snapshot_costs import measure_snapshots  # noqa: E402
from starts import measure_starts, measure_warm_starts  # noqa: E402
from steps import measure_steps  # noqa: E402
from subagent_costs import measure_subagents  # noqa: E402
from table import Row, find_regressions, show  # noqa: E402

FIGURES = Path(__file__).with_name("figures.json")

PARTS = {
    "Light commands (processor time of `python -c pass` is 1)": measure_light_commands,
    "From Enter to the prompt (processor time)": measure_first_prompt,
    "From exec to the first request (processor time)": measure_starts,
    "The same, forked from a server that has everything loaded": measure_warm_starts,
    "Commands in the sandbox (time on the clock)": measure_sandbox,
    "200 steps": measure_steps,
    "200 steps over each protocol (processor time)": measure_dialects,
    "Long threads, of messages of 2 kB": measure_lengths,
    "A thread that is compacted (processor time)": measure_context,
    "A conversation of 1,000 turns": measure_conversation,
    "A search of the memory (processor time)": measure_memory,
    "Sub-agents": measure_subagents,
    "Snapshots of a tree of 20,000 files (processor time)": measure_snapshots,
}


def main() -> int:
    """Measure everything; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--save", action="store_true", help="keep the figures as the repository's")
    parser.add_argument("--only", default="", help="the beginning of a part's title")
    chosen = parser.parse_args()
    figures: dict[str, dict[str, float]] = (
        json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    )
    missed, worse = list[str](), list[str]()
    for title, measure in PARTS.items():
        if not title.startswith(chosen.only):
            continue
        rows = measure_part(title, measure)
        missed += [row.what for row in rows if row.missed]
        if chosen.save:
            figures[title] = {row.what: round(row.figure, 4) for row in rows}
        elif find_regressions(rows, figures.get(title, {})):
            again = measure_part(f"{title}: again", measure)
            both = (rows, again)
            first, second = (find_regressions(each, figures[title]) for each in both)
            worse += [what for what in first if what in second]
    if chosen.save:
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print("\n" + ("missed: " + "; ".join(missed) if missed else "every bar is met"))
    print("worse than figures.json, twice: " + "; ".join(worse) if worse else "nothing is worse")
    return 1 if missed or worse else 0


def measure_part(title: str, measure: Callable[[Gauge, Path], list[Row]]) -> list[Row]:
    """Measure one part in a folder of its own, and print it."""
    with tempfile.TemporaryDirectory() as folder, Provider() as server:
        rows = measure(Gauge(server, Path(folder)), make_project(Path(folder)))
    show(title, rows)
    return rows


if __name__ == "__main__":
    sys.exit(main())
