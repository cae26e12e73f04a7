"""`make fuzz MINUTES=60`: command lines without end, judged beside two others who read them.

Whatever the judge calls plain or lets run unasked must be the same commands to shfmt, another
parser, and what it calls plain must be the same words to bash itself. A script that it lets run
unasked must remove nothing outside when bash runs it.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from command_lines import project
from removals import find_removals_outside, make_project, select_unasked
from scripts import write_script
from second_opinion import SHFMT, disagreement
from shell_lines import any_line
from third_opinion import WALL, disagreements

AT_ONCE = 200
"""Lines that one bash gets."""


def main(minutes: float, seed: int) -> int:
    """Print each disagreement; 1 when there was one, 2 where somebody is missing."""
    if not SHFMT or not WALL:
        print("shfmt or bubblewrap is missing: there is no other opinion", file=sys.stderr)
        return 2
    source, count, bad, end = random.Random(seed), 0, 0, time.monotonic() + minutes * 60
    with tempfile.TemporaryDirectory() as folder:
        workspace = project(Path(folder))
        removing = make_project(Path(folder) / "removals")
        while time.monotonic() < end:
            lines = [any_line(source) for _ in range(AT_ONCE)]
            count += AT_ONCE
            problems = [f"{one!r}: {why}" for one in lines if (why := disagreement(one, workspace))]
            with tempfile.TemporaryDirectory() as empty:
                problems += disagreements(lines, workspace, Path(empty))
            scripts = select_unasked([write_script(source) for _ in range(AT_ONCE)], removing)
            problems += find_removals_outside(scripts, removing)
            bad += len(problems)
            print("".join(f"{problem}\n" for problem in problems), end="", flush=True)
    print(f"{count} lines in {minutes:g} minutes (seed {seed}), {bad} disagreements")
    return min(bad, 1)


if __name__ == "__main__":
    given = dict(one.split("=") for one in sys.argv[1:])
    seed = int(given.get("seed", time.time_ns() % 1_000_000))
    sys.exit(main(float(given.get("minutes", 60)), seed))
