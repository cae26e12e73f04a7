"""What it costs from Enter on bare `mcode` to a prompt that can be typed at.

The runner is imported behind the prompt, and what that has taken by the time the prompt is read off
the terminal counts as well: the figure is an upper bound.
"""

import sys
from pathlib import Path

from contenders import MCODE, environment
from gauge import Gauge, spent
from starts import ratio
from table import Row
from terminal import FreshTerminal

REPETITIONS = 9
BAR = 0.35
SIGN = "›"
NOTHING = [sys.executable, "-c", "pass"]
LANGGRAPH = [sys.executable, "-c", "import langgraph.graph"]


def measure_first_prompt(gauge: Gauge, project: Path) -> list[Row]:
    """In turn with a Python that does nothing, and one that imports LangGraph."""
    home = project.with_name("prompt-home")
    home.mkdir()
    ours, theirs, nothing = list[float](), list[float](), list[float]()
    for repetition in range(REPETITIONS + 1):
        figures = (
            _to_prompt(project, home),
            gauge.run(LANGGRAPH, project, environment(home)).cpu,
            gauge.run(NOTHING, project, environment(home)).cpu,
        )
        for each, figure in zip((ours, theirs, nothing), figures, strict=True):
            each += [figure] if repetition else []  # the first one compiles
    return [
        ratio("mcode to its prompt : importing LangGraph", ours, theirs, BAR),
        ratio("mcode to its prompt : python -c pass", ours, nothing),
    ]


def _to_prompt(project: Path, home: Path) -> float:
    with FreshTerminal(MCODE, project, environment(home)) as terminal:
        terminal.until(SIGN)
        return spent(terminal.pid)
