"""Holds a long conversation, and may kill itself: `conversation_victim.py PLACE PLAN`.

`KILL_AT=compact:1:after` ends the process after its first compaction: see `torture/victim.py`.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "torture"))

from chapter_plan import ChapterPlan  # noqa: E402
from conversation_run import hold_conversation  # noqa: E402
from victim import PLACES, deadly  # noqa: E402


def main() -> int:
    chosen = os.environ.pop("KILL_AT", "")
    if ":" in chosen:
        place, number, side = chosen.split(":")
        holder, name = PLACES[place]
        setattr(holder, name, deadly(getattr(holder, name), int(number), side))
    plan = json.loads(sys.argv[2])
    plan["source_sizes"] = tuple(plan["source_sizes"])
    held = asyncio.run(hold_conversation(ChapterPlan(**plan), Path(sys.argv[1])))
    if held.failure:
        print(held.failure, file=sys.stderr)
    return 1 if held.failure else 0


if __name__ == "__main__":
    sys.exit(main())
