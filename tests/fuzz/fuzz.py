"""`make fuzz MINUTES=60`: command lines without end, judged beside a second parser.

Whatever the judge calls plain or lets run unasked must be the same commands to shfmt.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from command_lines import project
from second_opinion import SHFMT, disagreement
from shell_lines import JOINTS, WORDS, mutated


def main(minutes: float, seed: int) -> int:
    """Print each disagreement; 1 when there was one, 2 without shfmt."""
    if not SHFMT:
        print("shfmt is missing: there is no second opinion", file=sys.stderr)
        return 2
    source, count, bad, end = random.Random(seed), 0, 0, time.monotonic() + minutes * 60
    with tempfile.TemporaryDirectory() as folder:
        workspace = project(Path(folder))
        while time.monotonic() < end:
            line = _composed(source) if count % 2 else mutated(source)
            count += 1
            if problem := disagreement(line, workspace):
                bad += 1
                print(f"{line!r}: {problem}", flush=True)
    print(f"{count} lines in {minutes:g} minutes (seed {seed}), {bad} disagreements")
    return min(bad, 1)


def _composed(source: random.Random) -> str:
    count = source.randint(1, 12)
    pieces = source.choices([*WORDS, *JOINTS], [3] * len(WORDS) + [1] * len(JOINTS), k=count)
    return "".join(piece + source.choice(["", " ", " "]) for piece in pieces)


if __name__ == "__main__":
    given = dict(one.split("=") for one in sys.argv[1:])
    seed = int(given.get("seed", time.time_ns() % 1_000_000))
    sys.exit(main(float(given.get("minutes", 60)), seed))
