"""What commands cost that only show something."""

import sys
from pathlib import Path
from statistics import median

from contenders import MCODE, environment
from gauge import Gauge
from table import Row

REPETITIONS = 15
NOTHING = [sys.executable, "-c", "pass"]
COMMANDS = {
    "--help": 12.0,
    "--version": None,
    "config show": None,
    "threads list": None,
    "plans list": None,
    "memory list": None,
    "skills list": None,
    "models list": None,
    "auth status": None,
    "mcp list --no-test": None,
    "tools list": None,
    "test detect": None,
    "doctor": None,
}
"""And how many times `python -c pass` each may cost."""


def measure_light_commands(gauge: Gauge, project: Path) -> list[Row]:
    """The commands in turn with a Python that does nothing."""
    home = project.with_name("light-home")
    home.mkdir()
    programs = {"": NOTHING} | {name: [*MCODE, *name.split()] for name in COMMANDS}
    spent: dict[str, list[float]] = {name: [] for name in programs}
    for repetition in range(REPETITIONS + 1):
        for name, argv in programs.items():
            cpu = gauge.run(argv, project, environment(home)).cpu
            if repetition:  # the first one compiles
                spent[name].append(cpu)
    floor = median(spent[""])
    return [
        Row(
            f"mcode {name}",
            median(cpu / nothing for cpu, nothing in zip(spent[name], spent[""], strict=True)),
            f"{median(spent[name]) * 1000:.0f} ms : {floor * 1000:.1f} ms",
            bar,
        )
        for name, bar in COMMANDS.items()
    ]
