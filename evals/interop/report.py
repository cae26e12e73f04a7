"""The report of a run as a page: `docs/interop.md`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SHOWN = ("streaming", "10 tool calls", "thinking", "429 with retry-after", "cut stream")
HEAD = """\
# Programs that others wrote

<!-- written by `make interop`; do not edit -->

`make interop` installs these programs in environments of their own, starts them on this machine
and lets `mcode chat` talk to them over HTTP. It is no part of `make test`: it needs npm, pip and a
network. The proxy stands before aimock. This is the report of the last run, {date}.
"""
FOOT = """\
What a column shows:

- **streaming**: the answer arrives in pieces.
- **10 tool calls**: five answers of two calls each; each file is written and read, and the message
  is answered.
- **thinking**: the thinking before the calls of each answer arrives, and the requests that return
  it are accepted.
- **429 with retry-after**: the second request is refused with `Retry-After: 1`; `mcode` waits that
  long, repeats the request once, and ends with the same files.
- **cut stream**: the third answer breaks off in the middle; `mcode` repeats the request once, and
  ends with the same files.
"""


@dataclass
class Row:
    """What one program showed with one dialect."""

    program: str
    dialect: str
    model: str
    faults: dict[str, str] = field(default_factory=dict[str, str])
    """What is wrong with each thing that was tried; empty: it was shown."""
    remarks: dict[str, str] = field(default_factory=dict[str, str])
    """What a yes leaves open."""


def render_report(
    date: str, versions: Mapping[str, str], rows: Sequence[Row], missing: Mapping[str, str]
) -> str:
    """Return the page; `missing`: programs that this machine could not have, and why."""
    parts = [HEAD.format(date=date), render_versions(versions)]
    for name, why in missing.items():
        parts.append(f"**{name} could not be had on this machine: {why}.**\n")
    if rows:
        faults = [render_reasons(row, row.faults) for row in rows]
        remarks = [render_reasons(row, row.remarks) for row in rows]
        parts += [render_table(rows), *render_list("What was not shown:", faults)]
        parts += [*render_list("\\* What a yes leaves open:", remarks), FOOT]
    return "\n".join(parts)


def render_versions(versions: Mapping[str, str]) -> str:
    """Return a table of what took part."""
    lines = [f"| {name} | {version} |" for name, version in versions.items()]
    return "\n".join(["| program | version |", "|---|---|", *lines, ""])


def render_table(rows: Sequence[Row]) -> str:
    """Return a table of what was shown."""
    head = f"| program | dialect | row and model | {' | '.join(SHOWN)} |"
    lines = [
        f"| {row.program} | {row.dialect} | `{row.model}` | {' | '.join(render_cells(row))} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * (3 + len(SHOWN)) + "|", *lines, ""])


def render_cells(row: Row) -> list[str]:
    """Return a word for each thing."""
    words = {None: "not tried", "": "yes"}
    cells = [words.get(row.faults.get(name), "**no**") for name in SHOWN]
    marks = ["\\*" if name in row.remarks else "" for name in SHOWN]
    return [cell + mark for cell, mark in zip(cells, marks, strict=True)]


def render_reasons(row: Row, reasons: Mapping[str, str]) -> list[str]:
    """Return a line for each thing that has a reason."""
    return [
        f"- {row.program}, {row.dialect}, {name}: {reason}"
        for name, reason in reasons.items()
        if reason
    ]


def render_list(title: str, groups: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of all groups below the title; nothing if there is none."""
    lines = [line for group in groups for line in group]
    return [f"{title}\n", "\n".join(lines) + "\n"] if lines else []
